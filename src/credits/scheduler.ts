import { uptime } from "node:os";
import { type Clock, systemClock } from "../lib/clock.ts";

/** Time as a part, with the one timer that the ledger needs: tests move both by hand. */
export type Scheduler = Clock & {
  /** Milliseconds that never go back and, unlike `monotonic`, go on while the machine sleeps. */
  readonly elapsed: () => number;
  /** Runs it again and again until what this returns is called. */
  readonly every: (intervalMs: number, run: () => void) => () => void;
};

export const systemScheduler: Scheduler = {
  ...systemClock,
  elapsed: () => uptime() * 1000,
  every: (intervalMs, run) => {
    const timer = setInterval(run, intervalMs);
    return () => clearInterval(timer);
  },
};
