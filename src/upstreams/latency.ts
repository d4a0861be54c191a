import type { Clock, MonotonicMs } from "../lib/clock.ts";

/** A sample counts half after so long: a few blocks, and as long as a burst of heavy calls. */
const HALF_LIFE_MS = 5000;
const DECAY_PER_MS = Math.LN2 / HALF_LIFE_MS;
/** A node that nobody asked for so long may be well again: within 10 s of that it is in use. */
const STALE_MS = 5000;
/** The cost of another call to a node whose first call is still in flight. */
const UNKNOWN_MS = 1;
/** Faster ones differ by noise alone; above zero, so that calls in the air always count. */
const LEAST_MS = 0.1;

/**
 * How long a node takes to answer: a moving average that jumps up to a worse sample at once (peak
 * EWMA), and comes down with time. Where nobody asked it lately, one call finds out anew.
 */
export class PeakLatency {
  readonly #clock: Pick<Clock, "monotonic">;
  /** As of the last sample. Negative: none yet. */
  #estimateMs = -1;
  #atMs = 0;
  #resetMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Records a call that has just ended. A call from before the last reset is ignored. */
  record(ms: number, now: MonotonicMs = this.#clock.monotonic()): void {
    if (now - ms < this.#resetMs) return;
    const rest = this.#restAt(now);
    const average = this.#estimateMs * rest + ms * (1 - rest);
    this.#estimateMs = this.#isUnknownAt(now) || ms > average ? ms : average;
    this.#atMs = now;
  }

  /** Forgets the estimate of a node that has recovered. */
  reset(): void {
    this.#estimateMs = -1;
    this.#resetMs = this.#clock.monotonic();
  }

  /**
   * The cost of one more call, in milliseconds to wait. A call that is in the air since
   * `oldestInFlightSinceMs` (monotonic) tells more than the samples once it takes longer than they.
   */
  cost(
    inFlight: number,
    oldestInFlightSinceMs?: MonotonicMs,
    now: MonotonicMs = this.#clock.monotonic(),
  ): number {
    const ageMs = oldestInFlightSinceMs === undefined ? 0 : now - oldestInFlightSinceMs;
    const isUnknown = this.#isUnknownAt(now);
    if (isUnknown && inFlight === 0) return 0;
    const estimateMs = isUnknown ? UNKNOWN_MS : this.#estimateMs * this.#restAt(now);
    return Math.max(estimateMs, ageMs, LEAST_MS) * (inFlight + 1);
  }

  #isUnknownAt(now: MonotonicMs): boolean {
    return this.#estimateMs < 0 || now - this.#atMs > STALE_MS;
  }

  /** The rest of the last estimate. */
  #restAt(now: MonotonicMs): number {
    // Answers of one read came at one moment.
    if (now === this.#atMs) return 1;
    return Math.exp((this.#atMs - now) * DECAY_PER_MS);
  }
}
