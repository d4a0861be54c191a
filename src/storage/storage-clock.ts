import type { Clock } from "../lib/clock.ts";
import type { Storage } from "./store.ts";

/** This clock, with the time of the storage where that has a clock of its own. */
export function storageClock<Own extends Clock>(storage: Pick<Storage, "timeAt">, clock: Own): Own {
  const { timeAt } = storage;
  return timeAt === undefined ? clock : { ...clock, now: () => timeAt(clock.monotonic()) };
}
