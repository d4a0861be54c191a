import type { MonotonicMs } from "../lib/clock.ts";

/**
 * Credits per second with one second of burst. Exact: it counts in thousandths of a credit, of which
 * one credit a second brings one each millisecond, so that all of it is integers.
 *
 * A call dearer than the bucket holds is admitted when the bucket is full, which then goes below
 * zero. A call that waits for the store is deferred: its credits are taken, and nothing flows in for
 * them before it goes on, so that calls that waited together cannot exceed what a second allows.
 */
export class TokenBucket {
  #perSecond: number;
  #level: number;
  #atMs: MonotonicMs;
  /** Thousandths that waiting calls have taken. */
  #deferred = 0;

  /**
   * `atMs`: milliseconds that never go back, as in every method here. The bucket begins full; one
   * that takes another's place begins with what that one misses, as far as it holds so much.
   */
  constructor(perSecond: number, atMs: MonotonicMs, before?: TokenBucket) {
    this.#perSecond = perSecond;
    this.#atMs = Math.floor(atMs);
    this.#level = Math.max(
      0,
      this.#capacity() - (before === undefined ? 0 : before.#missing(atMs)),
    );
  }

  /** False, and nothing taken, where the call has to be refused. */
  take(credits: number, atMs: MonotonicMs): boolean {
    this.#refill(atMs);
    const cost = credits * 1000;
    if (this.#level < Math.min(cost, this.#capacity()) || this.#perSecond <= 0) return false;
    this.#level -= cost;
    return true;
  }

  /** Gives back the credits of a call that a later check refused. */
  giveBack(credits: number): void {
    this.#level = Math.min(this.#capacity() - this.#deferred, this.#level + credits * 1000);
  }

  /** The credits that were taken belong to a call that has to wait. */
  defer(credits: number): void {
    this.#deferred += credits * 1000;
  }

  /** The call that waited goes on, or is refused and given back next. */
  resume(credits: number, atMs: MonotonicMs): void {
    this.#refill(atMs);
    this.#deferred -= credits * 1000;
  }

  /** As if it had been empty so long ago, and calls that wait had taken theirs since. */
  emptied(agoMs: number, atMs: MonotonicMs): void {
    this.#refill(atMs);
    const since = Math.min(this.#capacity(), Math.floor(agoMs) * this.#perSecond);
    this.#level = Math.min(this.#level, since - this.#deferred);
  }

  /** Whole seconds, at least 1, until a call of so many credits is admitted; Infinity where never. */
  secondsUntil(credits: number, atMs: MonotonicMs): number {
    if (this.#perSecond <= 0) return Number.POSITIVE_INFINITY;
    this.#refill(atMs);
    const missing = Math.min(credits * 1000, this.#capacity()) - this.#level;
    return Math.max(1, Math.ceil(missing / this.#perSecond / 1000));
  }

  /** Whole credits that the bucket holds. */
  left(atMs: MonotonicMs): number {
    this.#refill(atMs);
    return Math.max(0, Math.floor(this.#level / 1000));
  }

  isFull(atMs: MonotonicMs): boolean {
    this.#refill(atMs);
    return this.#level >= this.#capacity();
  }

  #capacity(): number {
    return this.#perSecond * 1000;
  }

  #missing(atMs: MonotonicMs): number {
    this.#refill(atMs);
    return this.#capacity() - this.#level;
  }

  #refill(atMs: MonotonicMs): void {
    const now = Math.floor(atMs);
    if (now <= this.#atMs) return;
    const full = this.#capacity() - this.#deferred;
    this.#level = Math.min(full, this.#level + (now - this.#atMs) * this.#perSecond);
    this.#atMs = now;
  }
}
