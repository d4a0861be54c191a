import type { Clock, MonotonicMs } from "../lib/clock.ts";

/** Eight to each doubling: what is told is at most 9 % too high. */
const BUCKETS_PER_DOUBLING = 8;
/** From a sixteenth of a millisecond to 131 s, beyond any deadline. */
const LOWEST_EXPONENT = -4;
const DOUBLINGS = 21;
const BUCKETS = BUCKETS_PER_DOUBLING * DOUBLINGS + 1;
const UPPER_ENDS_MS = Float64Array.from(
  { length: BUCKETS },
  (_, bucket) => 2 ** (bucket / BUCKETS_PER_DOUBLING + LOWEST_EXPONENT),
);
const HALVED_EVERY_MS = 10_000;
/** With fewer samples the 95th percentile is the slowest one. */
const LEAST_SAMPLES = 20;

/**
 * A quantile of recent latencies. Samples weigh half as much every 10 s, but never so little that
 * nothing would be known: a network with few calls keeps what its last ones told.
 */
export class RecentQuantile {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #share: number;
  readonly #weights = new Float64Array(BUCKETS);
  #total = 0;
  /** The quantile's bucket, and the weight of all below: moved along with each sample. */
  #bucket = 0;
  #below = 0;
  #halveAtMs: MonotonicMs;

  /** `share`: 0.95 for the 95th percentile. */
  constructor(clock: Pick<Clock, "monotonic">, share: number) {
    this.#clock = clock;
    this.#share = share;
    this.#halveAtMs = clock.monotonic() + HALVED_EVERY_MS;
  }

  record(ms: number, now: MonotonicMs = this.#clock.monotonic()): void {
    if (now >= this.#halveAtMs) this.#decay(now);
    const bucket = bucketOf(ms);
    this.#weights[bucket] = (this.#weights[bucket] ?? 0) + 1;
    this.#total += 1;
    if (bucket < this.#bucket) this.#below += 1;
    this.#settle();
  }

  /** Milliseconds, the upper end of a bucket; undefined before 20 samples. */
  value(): number | undefined {
    return this.#total < LEAST_SAMPLES ? undefined : UPPER_ENDS_MS[this.#bucket];
  }

  /** Weights that are all halved leave the quantile where it is; only new samples move it. */
  #decay(now: MonotonicMs): void {
    let factor = 1;
    for (let atMs = this.#halveAtMs; atMs <= now; atMs += HALVED_EVERY_MS) {
      if (this.#total * factor < 2 * LEAST_SAMPLES) break;
      factor /= 2;
    }
    this.#halveAtMs = now + HALVED_EVERY_MS;
    this.#total = 0;
    this.#below = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
      const weight = (this.#weights[bucket] ?? 0) * factor;
      this.#weights[bucket] = weight;
      this.#total += weight;
      if (bucket < this.#bucket) this.#below += weight;
    }
  }

  #settle(): void {
    const wanted = this.#total * this.#share;
    while (this.#bucket > 0 && this.#below >= wanted) {
      this.#bucket -= 1;
      this.#below -= this.#weights[this.#bucket] ?? 0;
    }
    while (this.#bucket < BUCKETS - 1) {
      const here = this.#weights[this.#bucket] ?? 0;
      if (this.#below + here >= wanted) break;
      this.#below += here;
      this.#bucket += 1;
    }
  }
}

function bucketOf(ms: number): number {
  const place = Math.ceil((Math.log2(ms) - LOWEST_EXPONENT) * BUCKETS_PER_DOUBLING);
  // Zero has no logarithm that is a number of a bucket; what is not above it is the first's.
  return place > 0 ? Math.min(place, BUCKETS - 1) : 0;
}
