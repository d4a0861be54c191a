import { type Clock, systemTimers, type Time } from "../../src/lib/clock.ts";

/** A clock that a test moves, with the timers of the system. */
export function timed<Moved extends Partial<Clock>>(clock: Moved): Moved & Omit<Time, keyof Clock> {
  return { ...systemTimers, ...clock };
}
