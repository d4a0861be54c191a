import { performance } from "node:perf_hooks";
import type { MonotonicMs, UnixMs } from "./moments.ts";
import { patientInterval } from "./patient-interval.ts";

export type { MonotonicMs, UnixMs };

/** Time as a part: tests put in a clock that they move by hand. */
export type Clock = {
  readonly now: () => UnixMs;
  readonly monotonic: () => MonotonicMs;
};

/** Timers as a part. What deadlines of calls need is a `TimerWheel`. */
export type SystemTimers = {
  /** Runs it once, after so long; returns what prevents it. The process stays alive until then. */
  readonly after: (delayMs: number, run: () => void) => () => void;
  /**
   * Runs it again and again until what this returns is called; after a stall, once the sockets were read. Keeps
   * no process alive.
   */
  readonly every: (intervalMs: number, run: () => void) => () => void;
};

/** The clock and the timers of one process. */
export type Time = Clock & SystemTimers;

/** A clock that can stand still while one event is dealt with. */
export type Moments = Time & {
  /** Until `run` returns, the clock says what it said when it was first looked at. */
  readonly atOneMoment: <Args extends readonly unknown[]>(
    run: (...args: Args) => void,
    ...args: Args
  ) => void;
};

export const systemTimers: SystemTimers = Object.freeze({
  after: (delayMs: number, run: () => void) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
  every: (intervalMs: number, run: () => void) => {
    const timer = patientInterval(run, intervalMs);
    return () => clearInterval(timer);
  },
});

export const systemClock: Time = Object.freeze({
  now: () => Date.now(),
  monotonic: () => performance.now(),
  ...systemTimers,
});

/** A change of the system's clock shows within this time. */
const COMPARED_EVERY_MS = 50;

/** The system's clock, which can stand still while one event is dealt with. */
export class MomentClock implements Moments {
  readonly after = systemTimers.after;
  readonly every = systemTimers.every;
  #isHeld = false;
  /** 0 before they were looked at in this moment. */
  #heldNow = 0;
  #heldMonotonic = 0;
  /** By how much Unix time is ahead of the monotonic clock, and when that was looked at. */
  #aheadMs = 0;
  #comparedAtMs = Number.NEGATIVE_INFINITY;

  readonly now = (): UnixMs => {
    if (!this.#isHeld) return Date.now();
    if (this.#heldNow === 0) this.#heldNow = this.#unixTimeAt(this.monotonic());
    return this.#heldNow;
  };

  readonly monotonic = (): MonotonicMs => {
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
  #unixTimeAt(monotonicMs: MonotonicMs): UnixMs {
    if (monotonicMs - this.#comparedAtMs >= COMPARED_EVERY_MS) {
      this.#aheadMs = Date.now() - monotonicMs;
      this.#comparedAtMs = monotonicMs;
    }
    return Math.floor(monotonicMs + this.#aheadMs);
  }
}

/** Milliseconds that never go back, and that count alike in all processes of the machine. */
export function sharedMonotonic(): MonotonicMs {
  return Number(process.hrtime.bigint()) / 1_000_000;
}
