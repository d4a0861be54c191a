import { keccak_256 } from "@noble/hashes/sha3.js";

/** A bloom filter of 2048 bits as nodes write it: hex text of 256 bytes, the highest bit first. */
export type BloomText = string;

/** The places of the three bits that an address or a topic sets. */
export type BloomBits = readonly number[];

const HEX_DIGITS = 512;
const BLOOM = /^0x[0-9a-f]{512}$/i;

export const isBloom = (value: unknown): value is BloomText =>
  typeof value === "string" && BLOOM.test(value);

/** The bits of an address or a topic, `0x…`: the yellow paper, 4.4.3, equations 26 to 30. */
export function bloomBits(hex: string): BloomBits {
  const hash = keccak_256(Buffer.from(hex.slice(2), "hex"));
  return [0, 2, 4].map((at) => (((hash[at] as number) << 8) | (hash[at + 1] as number)) & 0x7ff);
}

/** Whether what has these bits may be among what the bloom was made of; false: it is not. */
export function mayHold(bloom: BloomText, bits: BloomBits): boolean {
  for (const bit of bits) {
    const digit = Number.parseInt(bloom[2 + HEX_DIGITS - 1 - (bit >> 2)] as string, 16);
    if (((digit >> (bit & 3)) & 1) === 0) return false;
  }
  return true;
}

const EMPTY = new RegExp(`^0x0{${HEX_DIGITS}}$`);

/** Of a block without logs. */
export const isEmptyBloom = (bloom: BloomText): boolean => EMPTY.test(bloom);
