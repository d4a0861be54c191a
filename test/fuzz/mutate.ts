import type { SeededRandom } from "../simulation/seeded-random.ts";

/** Inputs are no longer than that, bytes. */
export const MAX_INPUT_BYTES = 4096;
const MOST_CHANGES = 6;
const TELLING_BYTES = [0x00, 0x01, 0x0a, 0x0d, 0x20, 0x22, 0x30, 0x39, 0x5c, 0x7f, 0x80, 0xff];

export type Material = {
  readonly random: SeededRandom;
  /** Texts that the code looks for. */
  readonly words: readonly Buffer[];
  /** Gives parts of itself. */
  readonly other: Buffer;
};

/** The input with a few changes. */
export function mutate(input: Buffer, material: Material): Buffer {
  let bytes: Buffer = Buffer.from(input);
  for (let left = material.random.int(1, MOST_CHANGES); left > 0; left -= 1) {
    bytes = change(bytes, material);
  }
  return bytes.length > MAX_INPUT_BYTES ? bytes.subarray(0, MAX_INPUT_BYTES) : bytes;
}

function change(bytes: Buffer, { random, words, other }: Material): Buffer {
  const place = random.int(0, bytes.length);
  const byte = bytes[place] ?? 0;
  const set = (value: number) => {
    if (place < bytes.length) bytes[place] = value;
    return bytes;
  };
  const replace = (length: number, by: Buffer) =>
    Buffer.concat([bytes.subarray(0, place), by, bytes.subarray(place + length)]);
  const length = random.chance(0.7) ? random.int(1, 4) : random.int(1, 64);
  switch (random.int(0, 9)) {
    case 0:
      return set(byte ^ (1 << random.int(0, 7)));
    case 1:
      return set(random.int(0, 255));
    case 2:
      return set(byte + random.int(-4, 4));
    case 3:
      return set(TELLING_BYTES[random.int(0, TELLING_BYTES.length - 1)] ?? 0);
    case 4:
      return replace(length, Buffer.alloc(0));
    case 5:
      return replace(0, bytes.subarray(place, place + length));
    case 6: {
      const from = random.int(0, other.length);
      return replace(random.chance(0.5) ? 0 : length, other.subarray(from, from + length));
    }
    case 7: {
      const from = random.int(0, other.length);
      return Buffer.concat([bytes.subarray(0, place), other.subarray(from)]);
    }
    default: {
      const word = words[random.int(0, words.length - 1)] ?? Buffer.alloc(0);
      return replace(random.chance(0.5) ? 0 : word.length, word);
    }
  }
}
