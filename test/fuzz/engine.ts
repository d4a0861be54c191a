import { SeededRandom } from "../simulation/seeded-random.ts";
import { MAX_PLACES } from "./instrument.ts";
import { MAX_INPUT_BYTES, mutate } from "./mutate.ts";

/** Of each place by how often it was reached: once, twice, 3, 4 to 7, up to 128 and more. */
const BUCKETS = new Uint8Array(256);
for (let count = 1; count < 256; count += 1) {
  BUCKETS[count] =
    count < 4 ? 1 << (count - 1) : 1 << Math.min(Math.floor(Math.log2(count)) + 1, 7);
}
/** How often the newest inputs are the ones that are changed. */
const NEWEST = { inputs: 16, share: 0.4 };
/** Of the runs after which it is told how far it is. */
const TOLD_EVERY = 1024;

export type Target = { readonly fuzz: (data: Buffer) => void };

export type Report = {
  executions: number;
  /** The inputs that reached something new. */
  corpus: Buffer[];
  /** Places and how often they were reached. */
  features: number;
  fault: { readonly error: unknown; readonly input: Buffer } | undefined;
};

export type Options = {
  readonly seed: number;
  readonly corpus: readonly Buffer[];
  readonly words: readonly Buffer[];
  /** Whether to go on; asked now and then. */
  readonly goesOn: (report: Report) => boolean;
  /** Told of each input before it is run. */
  readonly onInput?: (input: Buffer) => void;
};

/**
 * Runs a target with inputs that are made from those that reached something new, until it throws or is
 * to end. The target's code counts in `counters` where it comes along.
 */
export function explore(target: Target, counters: Uint8Array, options: Options): Report {
  const random = new SeededRandom(options.seed);
  const seen = new Uint8Array(MAX_PLACES);
  const words32 = new Uint32Array(counters.buffer, counters.byteOffset, MAX_PLACES / 4);
  const report: Report = { executions: 0, corpus: [], features: 0, fault: undefined };

  const isNew = (): boolean => {
    let found = false;
    for (let word = 0; word < words32.length; word += 1) {
      if (words32[word] === 0) continue;
      for (let place = word * 4; place < word * 4 + 4; place += 1) {
        const bucket = BUCKETS[counters[place] ?? 0] ?? 0;
        const known = seen[place] ?? 0;
        if ((known | bucket) === known) continue;
        seen[place] = known | bucket;
        report.features += 1;
        found = true;
      }
    }
    return found;
  };
  const run = (input: Buffer): boolean => {
    counters.fill(0);
    options.onInput?.(input);
    report.executions += 1;
    try {
      target.fuzz(Buffer.from(input));
    } catch (error) {
      report.fault = { error, input };
      return false;
    }
    if (isNew()) report.corpus.push(input);
    return true;
  };

  for (const input of [Buffer.alloc(0), ...options.corpus]) if (!run(input)) return report;
  const pick = (): Buffer => {
    const { length } = report.corpus;
    const isNewest = random.chance(NEWEST.share);
    const least = isNewest ? Math.max(length - NEWEST.inputs, 0) : 0;
    return report.corpus[random.int(least, length - 1)] ?? Buffer.alloc(0);
  };
  while (options.goesOn(report)) {
    for (let left = TOLD_EVERY; left > 0; left -= 1) {
      if (!run(mutate(pick(), { random, words: options.words, other: pick() }))) return report;
    }
  }
  return report;
}

/** A shorter input with the same fault: parts are left out as long as it stays. */
export function shortened(target: Target, input: Buffer, message: string): Buffer {
  let shortest = input;
  const fails = (bytes: Buffer): boolean => {
    try {
      target.fuzz(Buffer.from(bytes));
      return false;
    } catch (error) {
      return messageOf(error) === message;
    }
  };
  for (let size = Math.min(input.length, MAX_INPUT_BYTES) >> 1; size > 0; size >>= 1) {
    for (let at = 0; at + size <= shortest.length; ) {
      const without = Buffer.concat([shortest.subarray(0, at), shortest.subarray(at + size)]);
      if (fails(without)) shortest = without;
      else at += size;
    }
  }
  return shortest;
}

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
