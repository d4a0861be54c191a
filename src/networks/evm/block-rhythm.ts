import type { MonotonicMs } from "../../lib/clock.ts";

/** Below this, blocks come faster than it pays to ask. */
const LEAST_INTERVAL_MS = 250;
/** No chain in use is slower; one whose blocks come more seldom makes them when somebody asks. */
const SLOWEST_BLOCK_MS = 20_000;
/** Until the chain has shown its own. */
const FIRST_BLOCK_MS = 1000;
const SAMPLES = 64;
/** The share of these spacings that must be equal for the chain to have slots. */
const SLOT_SHARE = 0.8;
/** How fast it feels its way to the moment at which blocks come: in blocks, at first and later. */
const FIRST_STEP = 1 / 4;
const LAST_STEP = 1 / 640;
/** After so many polls that found a block, the steps double: it may be far off. */
const HITS = 16;
/** After a poll that came too early. Eighty times the last step: few polls come too early. */
const LATER_STEP = 1 / 8;

type Spacing = { readonly blocks: number; readonly spacingMs: number };
type Sample = { readonly number: number; readonly timestamp: number; readonly seenMs: number };

/**
 * When a chain's next block is to be expected. Its block time comes from the timestamps where they
 * agree with the clock (some chains make them up), else from when blocks were seen; the moment
 * itself is felt for: a little earlier after each poll that found a block, later after an empty one.
 */
export class BlockRhythm {
  readonly #samples: Sample[] = [];
  #blockTimeMs = FIRST_BLOCK_MS;
  #hasSlots = false;
  #expectedMs = 0;
  #step = FIRST_STEP;
  #counted = 0;
  #hits = 0;
  #misses = 0;

  get blockTimeMs(): number {
    return this.#blockTimeMs;
  }

  /** The distance between polls. */
  get slotMs(): number {
    return Math.max(this.#blockTimeMs, LEAST_INTERVAL_MS);
  }

  /** When the next block is to be asked for, monotonic milliseconds. */
  get expectedMs(): number {
    return this.#expectedMs;
  }

  /** A poll after the expected moment found nothing new. */
  missed(): void {
    this.#misses += 1;
  }

  /** A block, the highest until now, was seen; `timestamp` in seconds, where known. */
  sighted(number: number, timestamp: number | undefined, nowMs: MonotonicMs): void {
    const last = this.#samples.at(-1);
    if (timestamp !== undefined) {
      // After a reorganisation to a lower block.
      if (last !== undefined && number <= last.number) {
        this.#samples.length = 0;
        this.#counted = 0;
      }
      this.#samples.push({ number, timestamp, seenMs: nowMs });
      if (this.#samples.length > SAMPLES) this.#samples.shift();
      // It changes slowly, once many are known.
      this.#counted += 1;
      if (this.#counted < SAMPLES / 2 || this.#counted % 8 === 0) this.#measure();
    }
    this.#expect(nowMs, Math.max(number - (last?.number ?? number), 1));
    this.#misses = 0;
  }

  /** `blocks`: how many were found at once; the newest of them tells most. */
  #expect(nowMs: MonotonicMs, blocks: number): void {
    const slot = this.slotMs;
    const dueMs = this.#expectedMs + (blocks - 1) * slot;
    const late = nowMs - dueMs;
    if (late < 0) {
      // If several blocks came, the last one may have come long ago.
      this.#expectedMs = nowMs + slot * (blocks > 1 ? 0.75 : 1);
      if (blocks > 1) this.#step = Math.max(this.#step, FIRST_STEP / 2);
    } else if (late < slot / 2 || this.#misses === 1 || this.#step > LATER_STEP) {
      this.#expectedMs = dueMs + slot * (1 + this.#correction());
    } else if (this.#hasSlots && late < SAMPLES * slot) {
      // Looked for in vain more than once, at the right moment: a slot without a block.
      const left = this.#misses === 0 ? Math.floor(late / slot) : Math.round(late / slot);
      this.#expectedMs = dueMs + slot * (left + 1);
    } else this.#expectedMs = nowMs + slot * (1 - LATER_STEP);
  }

  #correction(): number {
    const step = this.#step;
    if (this.#misses === 0) {
      this.#hits += 1;
      if (this.#hits % HITS === 0) this.#step = Math.min(step * 2, FIRST_STEP);
      return -step;
    }
    this.#hits = 0;
    this.#step = Math.max(step / 4, LAST_STEP);
    return Math.max(step, LATER_STEP);
  }

  #measure(): void {
    const seen = this.#perBlock(({ seenMs }) => seenMs);
    const told = this.#perBlock(({ timestamp }) => timestamp * 1000);
    if (seen.length === 0) return;
    // While no block came there was no rhythm.
    const longest = median(seen.map(({ spacingMs }) => spacingMs)) * 4;
    const isHalt = (_: Spacing, index: number) => (seen[index]?.spacingMs ?? 0) > longest;
    const seenMs = mean(seen.filter((one, index) => !isHalt(one, index)));
    const toldMs = mean(told.filter((one, index) => !isHalt(one, index)));
    const slotMs = median(told.map(({ spacingMs }) => spacingMs));
    const same = told.filter(({ spacingMs }) => spacingMs === slotMs).length;
    const agrees = Math.abs(toldMs - seenMs) <= seenMs / 4;
    this.#hasSlots = agrees && slotMs > 0 && same >= told.length * SLOT_SHARE;
    const blockTimeMs = this.#hasSlots ? slotMs : agrees ? toldMs : seenMs;
    this.#blockTimeMs = blockTimeMs <= SLOWEST_BLOCK_MS ? blockTimeMs : FIRST_BLOCK_MS;
  }

  #perBlock(of: (sample: Sample) => number): Spacing[] {
    return this.#samples.slice(1).map((sample, index) => {
      const before = this.#samples[index] ?? sample;
      const blocks = sample.number - before.number;
      return { blocks, spacingMs: (of(sample) - of(before)) / blocks };
    });
  }
}

function mean(spacings: readonly Spacing[]): number {
  let ms = 0;
  let count = 0;
  for (const { blocks, spacingMs } of spacings) {
    ms += spacingMs * blocks;
    count += blocks;
  }
  return ms / count;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? FIRST_BLOCK_MS;
}
