import type { DatabaseSync } from "node:sqlite";
import type { NodePoint, NodeStore } from "../node-store.ts";
import {
  addedLatencies,
  countValues,
  LATENCY_LIST,
  LATENCY_PLACES,
  latencySums,
  MINUTE_MS,
  type Unread,
  withLatencies,
} from "../rows/usage.ts";
import { type Blocking, transaction } from "./database.ts";
import { pruneSql } from "./pruning.ts";

/** More than a minute brings. */
const DROPPED_ROWS = 1000;

export function nodeStatements(db: DatabaseSync): Blocking<NodeStore> {
  const add = db.prepare(
    `INSERT INTO node_minutes (network, upstream, at, calls, failed, lag, ${LATENCY_LIST})
     VALUES (?, ?, ?, ?, ?, ?, ${LATENCY_PLACES})
     ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, failed = failed + excluded.failed,
       lag = max(coalesce(lag, excluded.lag), coalesce(excluded.lag, lag)), ${addedLatencies("")}`,
  );
  const drop = db.prepare(pruneSql("node_minutes", "network, upstream, at"));
  const history = db.prepare(
    `SELECT at / CAST(:stepMs AS INTEGER) * CAST(:stepMs AS INTEGER) AS at, sum(calls) AS calls,
       sum(failed) AS failed, max(lag) AS lag, ${latencySums("json_array")} AS latencies
     FROM node_minutes
     WHERE network = :network AND upstream = :upstream AND at >= :from AND at < :to
     GROUP BY 1 ORDER BY 1`,
  );
  return {
    record: (minutes, before) =>
      transaction(db, () => {
        for (const { network, upstream, minute, calls, failed, lag, latencies } of minutes) {
          add.run(
            network,
            upstream,
            minute * MINUTE_MS,
            calls,
            failed,
            lag,
            ...countValues(latencies),
          );
        }
        drop.run(before, DROPPED_ROWS);
      }),
    history: (query) => (history.all({ ...query }) as Unread<NodePoint>[]).map(withLatencies),
  };
}
