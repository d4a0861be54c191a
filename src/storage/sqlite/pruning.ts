import type { DatabaseSync } from "node:sqlite";
import { dayOf } from "../../lib/day.ts";
import type { UsageResolution, UsageStore } from "../usage-store.ts";
import { type Blocking, transaction } from "./database.ts";

/** The rows of one piece. Each may lie on a page of its own: 1 MB to write, a few milliseconds in all. */
const ROWS = 250;

/** Longer than any process asks again for what became of a take. */
const ASKED_AGAIN_DAYS = 2;

const USAGE_KEY = "account_id, at, key_id, network, method, outcome";

/** Deletes the oldest rows before a time; `key` is the primary key. Numbered values: time, rows. */
export const pruneSql = (table: string, key: string, column = "at"): string =>
  `DELETE FROM ${table} WHERE (${key}) IN (
     SELECT ${key} FROM ${table} WHERE ${column} < ?1 ORDER BY ${column} LIMIT ?2)`;

/**
 * The hours' sums have no index on the time: their rows are found by those of the hours that are
 * deleted next.
 */
export const PRUNE_HOUR_SUMS = `DELETE FROM usage_hour_sums WHERE (account_id, at) IN (
  SELECT account_id, at FROM usage_hours WHERE at < ?1 ORDER BY at LIMIT ?2)`;

type Before = Readonly<Record<UsageResolution, number>>;

/**
 * Drops what is too old in pieces, each a transaction of its own: a single one of all rows would hold
 * up every take of every process for seconds.
 */
export function pruning(db: DatabaseSync): Blocking<UsageStore>["prune"] {
  const drop = (sql: string, timeOf: (before: Before) => number) => {
    const statement = db.prepare(sql);
    return (before: Before, rows: number) => Number(statement.run(timeOf(before), rows).changes);
  };
  const hours = drop(pruneSql("usage_hours", USAGE_KEY), ({ hour }) => hour);
  const hourSums = drop(PRUNE_HOUR_SUMS, ({ hour }) => hour);
  const contractKey = "account_id, at, network, contract";
  const drops = [
    drop(pruneSql("usage_minutes", USAGE_KEY), ({ minute }) => minute),
    (before: Before, rows: number) => {
      hourSums(before, rows);
      return hours(before, rows);
    },
    drop(pruneSql("usage_days", USAGE_KEY), ({ day }) => day),
    drop(pruneSql("usage_batches", "process"), ({ minute }) => minute),
    drop(pruneSql("contract_minutes", contractKey), ({ minute }) => minute),
    drop(pruneSql("audit", "seq"), ({ day }) => day),
    drop(pruneSql("alert_deliveries", "seq"), ({ day }) => day),
    drop(pruneSql("alerts", "account_id, day, threshold", "day"), ({ day }) => dayOf(day)),
    drop(
      pruneSql("ledger_processes", "owner, process, day", "day"),
      ({ minute }) => dayOf(minute) - ASKED_AGAIN_DAYS,
    ),
  ];
  return (before) => {
    let left = ROWS;
    transaction(db, () => {
      for (const each of drops) if (left > 0) left -= each(before, left);
    });
    return left === 0;
  };
}
