import type { DatabaseSync } from "node:sqlite";
import type { PartnerCalls, PartnerStore } from "../store.ts";
import { utcMonth } from "../utc-month.ts";
import { type Blocking, returning } from "./database.ts";

const COUNTS = `
  SELECT coalesce(sum(calls) FILTER (WHERE day = :day), 0) AS day, coalesce(sum(calls), 0) AS month
  FROM partner_calls WHERE network = :network AND day >= :first AND day < :next`;

/** One statement, so that SQLite's write lock covers counting and writing; no row where all is used. */
export const TAKE_PARTNER_CALLS = `
WITH taken AS (${COUNTS}),
allowance AS (
  SELECT min(:calls, coalesce(:dayCap - day, :calls), coalesce(:monthCap - month, :calls)) AS calls
  FROM taken
)
INSERT INTO partner_calls (network, day, calls, allowed)
SELECT :network, :day, calls, calls FROM allowance WHERE calls > 0
ON CONFLICT (network, day) DO UPDATE SET calls = calls + excluded.calls, allowed = excluded.allowed
RETURNING allowed`;

export function partnerStatements(db: DatabaseSync): Blocking<PartnerStore> {
  const take = returning<{ readonly allowed: number }>(db, TAKE_PARTNER_CALLS);
  const read = db.prepare(COUNTS);
  return {
    take: ({ network, now, calls, caps }) => {
      const [row] = take({
        network,
        calls,
        dayCap: caps.day ?? null,
        monthCap: caps.month ?? null,
        ...utcMonth(now),
      });
      return row?.allowed ?? 0;
    },
    read: (network, now) => ({ ...read.get({ network, ...utcMonth(now) }) }) as PartnerCalls,
  };
}
