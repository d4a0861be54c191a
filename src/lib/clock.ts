import { performance } from "node:perf_hooks";

/** Time as a part: tests put in a clock that they move by hand. */
export type Clock = {
  /** Unix time, milliseconds. */
  readonly now: () => number;
  /** Milliseconds that never go back, for durations. */
  readonly monotonic: () => number;
};

export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  monotonic: () => performance.now(),
});

/** A change of the system's clock shows within this time. */
const COMPARED_EVERY_MS = 50;

/** The system's clock, which can stand still while one event is dealt with. */
export class MomentClock implements Clock {
  #isHeld = false;
  /** 0 before they were looked at in this moment. */
  #heldNow = 0;
  #heldMonotonic = 0;
  /** By how much Unix time is ahead of the monotonic clock, and when that was looked at. */
  #aheadMs = 0;
  #comparedAtMs = Number.NEGATIVE_INFINITY;

  readonly now = (): number => {
    if (!this.#isHeld) return Date.now();
    if (this.#heldNow === 0) this.#heldNow = this.#unixTimeAt(this.monotonic());
    return this.#heldNow;
  };

  readonly monotonic = (): number => {
    if (!this.#isHeld) return performance.now();
    if (this.#heldMonotonic === 0) this.#heldMonotonic = performance.now();
    return this.#heldMonotonic;
  };

  /**
   * Until this returns, the clock says what it said when it was first looked at. A call looks eight
   * to fourteen times on its way, which took up to 1.2 us of it.
   */
  atOneMoment<Args extends readonly unknown[]>(run: (...args: Args) => void, ...args: Args): void {
    this.#isHeld = true;
    this.#heldNow = 0;
    this.#heldMonotonic = 0;
    try {
      run(...args);
    } finally {
      this.#isHeld = false;
    }
  }

  /**
   * Whole milliseconds, at most one behind. `Date.now` is a call out of JavaScript, and the other
   * clock is looked at anyway.
   */
  #unixTimeAt(monotonicMs: number): number {
    if (monotonicMs - this.#comparedAtMs >= COMPARED_EVERY_MS) {
      this.#aheadMs = Date.now() - monotonicMs;
      this.#comparedAtMs = monotonicMs;
    }
    return Math.floor(monotonicMs + this.#aheadMs);
  }
}

/** Milliseconds that never go back, and that count alike in all processes of the machine. */
export function sharedMonotonic(): number {
  return Number(process.hrtime.bigint()) / 1_000_000;
}
