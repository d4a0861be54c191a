import { performance } from "node:perf_hooks";

/** Time as a part: tests put in a clock that they move by hand. */
export type Clock = {
  /** Unix time, milliseconds. */
  readonly now: () => number;
  /** Milliseconds that never go back, for durations. */
  readonly monotonic: () => number;
};

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
