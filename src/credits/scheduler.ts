import { type Clock, systemClock } from "../lib/clock.ts";

/** Time as a part, with the one timer that the ledger needs: tests move both by hand. */
export type Scheduler = Clock & {
  /** Runs it again and again until what this returns is called. */
  readonly every: (intervalMs: number, run: () => void) => () => void;
};

export const systemScheduler: Scheduler = {
  ...systemClock,
  every: (intervalMs, run) => {
    const timer = setInterval(run, intervalMs);
    return () => clearInterval(timer);
  },
};
