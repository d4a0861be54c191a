import type { NodePoint, NodeStore } from "../node-store.ts";
import {
  addedLatencies,
  arrayText,
  COUNTS_OF_LIST,
  LATENCIES,
  LATENCY_LIST,
  MINUTE_MS,
  type Unread,
  withLatencies,
} from "../rows/usage.ts";
import type { PostgresDatabase } from "./database.ts";
import { pruneSql } from "./pruning.ts";

/** More than a minute brings. */
const DROPPED_ROWS = 1000;

/** Rows come in the order of the key, so that two gateways that write at once wait, and not for each other. */
const RECORD = `
WITH dropped AS (
  ${pruneSql("node_minutes")}
)
INSERT INTO @node_minutes AS mine (network, upstream, at, calls, failed, lag, ${LATENCY_LIST})
SELECT network, upstream, minute * ${MINUTE_MS} AS started, sum(calls), sum(failed), max(lag), ${COUNTS_OF_LIST}
FROM (
  SELECT *, lists::bigint[] AS counts
  FROM unnest(:networks::text[], :upstreams::text[], :minutes::bigint[], :calls::bigint[], :failed::bigint[],
    :lags::bigint[], :latencies::text[])
  AS told (network, upstream, minute, calls, failed, lag, lists)
) AS told
GROUP BY network, upstream, started ORDER BY network, upstream, started
ON CONFLICT (network, upstream, at) DO UPDATE SET calls = mine.calls + excluded.calls,
  failed = mine.failed + excluded.failed, lag = greatest(mine.lag, excluded.lag), ${addedLatencies("mine.")}`;

export function nodeStore(db: PostgresDatabase): NodeStore {
  return {
    record: async (minutes, before) => {
      await db.change(RECORD, {
        ...{ before, rows: DROPPED_ROWS },
        networks: minutes.map(({ network }) => network),
        upstreams: minutes.map(({ upstream }) => upstream),
        minutes: minutes.map(({ minute }) => minute),
        calls: minutes.map(({ calls }) => calls),
        failed: minutes.map(({ failed }) => failed),
        lags: minutes.map(({ lag }) => lag),
        latencies: minutes.map(({ latencies }) => arrayText(latencies)),
      });
    },
    history: async (query) => {
      const rows = await db.read<Unread<Omit<NodePoint, "at"> & { readonly step: number }>>(
        `SELECT at / :stepMs::bigint * :stepMs::bigint AS step, sum(calls) AS calls,
           sum(failed) AS failed, max(lag) AS lag, ${LATENCIES} AS latencies
         FROM @node_minutes
         WHERE network = :network AND upstream = :upstream AND at >= :from AND at < :to
         GROUP BY step ORDER BY step`,
        query,
      );
      return rows.map(withLatencies).map(({ step, ...row }) => ({ at: step, ...row }));
    },
  };
}
