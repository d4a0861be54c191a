import type { Clock, MonotonicMs } from "../lib/clock.ts";

const BURST = 1000;
const PER_SECOND = 200;
/** The most addresses that are tracked; the least recently seen one is dropped first. */
const MOST_ADDRESSES = 100_000;

type Bucket = { level: number; atMs: MonotonicMs };

/**
 * Requests with keys that nobody knows, by address: each costs a question to the store, or a place among
 * the keys that are known to be none. An address has a bucket of 1,000 that 200 a second flow into.
 */
export class UnknownKeys {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #buckets = new Map<string, Bucket>();
  readonly #burst: number;
  readonly #perSecond: number;

  /** `processes`: how many of this kind the gateway has; each lets its part of all in. */
  constructor(clock: Pick<Clock, "monotonic">, processes = 1) {
    this.#clock = clock;
    this.#burst = Math.ceil(BURST / processes);
    this.#perSecond = PER_SECOND / processes;
  }

  /** Counts one; or seconds to wait, at least 1. */
  take(address: string): number {
    const atMs = this.#clock.monotonic();
    const known = this.#buckets.get(address);
    const flowed =
      known === undefined ? this.#burst : ((atMs - known.atMs) / 1000) * this.#perSecond;
    const level = Math.min(this.#burst, (known?.level ?? 0) + flowed);
    if (level < 1) return Math.max(1, Math.ceil((1 - level) / this.#perSecond));
    this.#buckets.delete(address);
    this.#buckets.set(address, { level: level - 1, atMs });
    if (this.#buckets.size > MOST_ADDRESSES) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    return 0;
  }

  /** The key was known after all. */
  giveBack(address: string): void {
    const bucket = this.#buckets.get(address);
    if (bucket !== undefined) bucket.level = Math.min(this.#burst, bucket.level + 1);
  }
}
