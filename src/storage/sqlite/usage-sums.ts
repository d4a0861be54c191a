import type { DatabaseSync } from "node:sqlite";
import {
  ANSWERED,
  COLUMNS,
  spanValues,
  TABLES,
  type TopAccountRow,
  tableOf,
  topAccountsSql,
  toTopAccounts,
} from "../rows/usage.ts";
import type {
  UsagePoint,
  UsageQuery,
  UsageSeriesQuery,
  UsageStore,
  UsageTotal,
} from "../usage-store.ts";
import type { Blocking } from "./database.ts";

/** Figures for charts and tables, summed where the rows are. */
export function usageSums(
  db: DatabaseSync,
): Pick<Blocking<UsageStore>, "series" | "totals" | "topAccounts"> {
  return {
    series: (query: UsageSeriesQuery) => {
      const { stepMs, top } = query;
      const values = { ...spanValues(query), stepMs, top };
      return db.prepare(seriesSql(query)).all(values) as UsagePoint[];
    },
    totals: (query: UsageQuery) =>
      db.prepare(totalsSql(query)).all(spanValues(query)) as UsageTotal[],
    topAccounts: ({ resolution, from, to, limit }) => {
      const rows = db.prepare(topAccountsSql(TABLES[resolution])).all({ from, to, limit });
      return toTopAccounts(rows as TopAccountRow[]);
    },
  };
}

type Shape = Pick<UsageQuery, "resolution" | "keyId" | "network">;

/**
 * The rows of each moment are summed first, in the order of the primary key, and only these sums
 * put together to steps and names. Numbers arrive as floating point, hence the casts.
 */
export function seriesSql(query: Shape & Pick<UsageSeriesQuery, "by">): string {
  const { by, keyId } = query;
  return `
WITH RECURSIVE ${keyId === undefined ? "" : `${moments(query)}, `}slice AS MATERIALIZED (
  SELECT at, ${COLUMNS[by]} AS name, sum(calls) AS calls, sum(credits) AS credits,
    sum(iif(outcome IN (${ANSWERED}), 0, calls)) AS failed
  FROM ${tableOf(query, by === "key")} WHERE ${conditions(query)} GROUP BY at, name
), leading AS MATERIALIZED (
  SELECT name FROM slice GROUP BY name ORDER BY sum(calls) DESC, name LIMIT :top
)
SELECT at / CAST(:stepMs AS INTEGER) * CAST(:stepMs AS INTEGER) AS at,
  iif(name IN leading, name, NULL) AS name,
  sum(calls) AS calls, sum(credits) AS credits, sum(failed) AS failed
FROM slice GROUP BY 1, 2 ORDER BY 1, 2 NULLS LAST`;
}

export function totalsSql(query: Shape): string {
  return `
${query.keyId === undefined ? "" : `WITH RECURSIVE ${moments(query)}`}
SELECT network, method, outcome, sum(calls) AS calls, sum(credits) AS credits,
  sum(bytes) AS bytes, sum(latency_ms) AS latencyMs
FROM ${tableOf(query, false)} WHERE ${conditions(query)}
GROUP BY network, method, outcome ORDER BY network, method, outcome`;
}

const SPAN = "account_id = :accountId AND at < :to AND at";

/** The minutes, hours or days that have rows, each found with one look. */
function moments({ resolution }: Shape): string {
  const table = TABLES[resolution];
  return `moments (moment) AS (
  SELECT min(at) FROM ${table} WHERE ${SPAN} >= :from
  UNION ALL
  SELECT (SELECT min(at) FROM ${table} WHERE ${SPAN} > moment) FROM moments
  WHERE moment IS NOT NULL
)`;
}

/** The rows of one key lie together in each moment, and no others are read. */
function conditions({ keyId, network }: Shape): string {
  const rows =
    keyId === undefined
      ? `${SPAN} >= :from`
      : "account_id = :accountId AND at IN moments AND key_id = :keyId";
  return network === undefined ? rows : `${rows} AND network = :network`;
}
