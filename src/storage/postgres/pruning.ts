import { dayOf } from "../../lib/day.ts";
import type { UsageStore } from "../usage-store.ts";
import type { PostgresDatabase } from "./database.ts";

/** The rows of one piece: a statement of all of them would hold up others for seconds. */
const ROWS = 1000;

/** Longer than any process asks again for what became of a take. */
const ASKED_AGAIN_DAYS = 2;

/** Rows that another gateway is deleting are passed over. */
export const pruneSql = (table: string, column = "at"): string =>
  `DELETE FROM @${table} WHERE ctid = ANY (ARRAY(
     SELECT ctid FROM @${table} WHERE ${column} < :before ORDER BY ${column} LIMIT :rows
     FOR UPDATE SKIP LOCKED))`;

/** Drops what is too old in pieces, each a statement of its own. */
export function pruning(db: PostgresDatabase): UsageStore["prune"] {
  return async ({ minute, hour, day }) => {
    const drops: readonly (readonly [sql: string, before: number])[] = [
      [pruneSql("usage_minutes"), minute],
      [pruneSql("usage_hours"), hour],
      [pruneSql("usage_hour_sums"), hour],
      [pruneSql("usage_days"), day],
      [pruneSql("usage_batches"), minute],
      [pruneSql("contract_minutes"), minute],
      [pruneSql("audit"), day],
      [pruneSql("alert_deliveries"), day],
      [pruneSql("alerts", "day"), dayOf(day)],
      [pruneSql("ledger_processes", "day"), dayOf(minute) - ASKED_AGAIN_DAYS],
    ];
    let left = ROWS;
    for (const [sql, before] of drops) {
      if (left > 0) left -= await db.change(sql, { before, rows: left });
    }
    return left === 0;
  };
}
