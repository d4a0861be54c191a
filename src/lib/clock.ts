import { performance } from "node:perf_hooks";

/** Time as a part: tests put in a clock that they move by hand. */
export type Clock = {
  /** Unix time, milliseconds. */
  readonly now: () => number;
  /** Milliseconds that never go back, for durations. */
  readonly monotonic: () => number;
};

/** Of `atOneMoment`: its times, 0 before they were looked at. */
let isHeld = false;
let heldNow = 0;
let heldMonotonic = 0;

/** What Unix time is ahead of the monotonic clock by, and when that was looked at. */
let aheadMs = 0;
let comparedAtMs = Number.NEGATIVE_INFINITY;
/** Whoever sets the system's clock finds it set within this time. */
const COMPARED_EVERY_MS = 50;

export const systemClock: Clock = {
  now: () => {
    if (!isHeld) return Date.now();
    if (heldNow === 0) heldNow = unixTimeAt(systemClock.monotonic());
    return heldNow;
  },
  monotonic: () => {
    if (!isHeld) return performance.now();
    if (heldMonotonic === 0) heldMonotonic = performance.now();
    return heldMonotonic;
  },
};

/**
 * Whole milliseconds, at most one behind. `Date.now` is a call out of JavaScript, and the other clock
 * is looked at anyway.
 */
function unixTimeAt(monotonicMs: number): number {
  if (monotonicMs - comparedAtMs >= COMPARED_EVERY_MS) {
    aheadMs = Date.now() - monotonicMs;
    comparedAtMs = monotonicMs;
  }
  return Math.floor(monotonicMs + aheadMs);
}

/**
 * Runs this at one moment: until it returns, the system's clock says what it said when it was first
 * looked at. A call looks eight to fourteen times on its way, which took up to 1.2 us of it.
 */
export function atOneMoment<Args extends readonly unknown[]>(
  run: (...args: Args) => void,
  ...args: Args
): void {
  isHeld = true;
  heldNow = 0;
  heldMonotonic = 0;
  try {
    run(...args);
  } finally {
    isHeld = false;
  }
}

/** Milliseconds that never go back, and that count alike in all processes of the machine. */
export function sharedMonotonic(): number {
  return Number(process.hrtime.bigint()) / 1_000_000;
}
