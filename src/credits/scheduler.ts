import { uptime } from "node:os";
import { systemClock, type Time } from "../lib/clock.ts";

/** Time as a part, as the ledger needs it. */
export type Scheduler = Pick<Time, "now" | "monotonic" | "every"> & {
  /** Milliseconds that never go back and, unlike `monotonic`, go on while the machine sleeps. */
  readonly elapsed: () => number;
};

export const systemScheduler: Scheduler = { ...systemClock, elapsed: () => uptime() * 1000 };
