import { DAY_MS, dayOf } from "../lib/day.ts";
import type { UnixMs } from "../lib/moments.ts";
import type { Day } from "./ledger-store.ts";

/** `day` is the moment's own; the month's days are `first` to, but not including, `next`. */
export type UtcMonth = { readonly day: Day; readonly first: Day; readonly next: Day };

/** `now`: Unix milliseconds. */
export function utcMonth(now: UnixMs): UtcMonth {
  const date = new Date(now);
  const beginning = (months: number): Day =>
    Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months) / DAY_MS;
  return { day: dayOf(now), first: beginning(0), next: beginning(1) };
}
