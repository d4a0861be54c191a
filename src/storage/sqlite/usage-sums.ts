import type { DatabaseSync } from "node:sqlite";
import {
  COLUMNS,
  filterSql,
  latencySums,
  NO_FAILURES,
  spanValues,
  TABLES,
  type TopAccountRow,
  tableOf,
  topAccountsSql,
  toTopAccounts,
  type Unread,
  withLatencies,
} from "../rows/usage.ts";
import type {
  LatencyPoint,
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
): Pick<Blocking<UsageStore>, "series" | "latencies" | "totals" | "topAccounts"> {
  return {
    series: (query: UsageSeriesQuery) => {
      const { stepMs, top } = query;
      const values = { ...spanValues(query), stepMs, top };
      return db.prepare(seriesSql(query)).all(values) as UsagePoint[];
    },
    latencies: ({ stepMs, ...query }) => {
      const rows = db.prepare(latenciesSql(query)).all({ ...spanValues(query), stepMs });
      return (rows as Unread<LatencyPoint>[]).map(withLatencies);
    },
    totals: (query: UsageQuery) => {
      const rows = db.prepare(totalsSql(query)).all(spanValues(query));
      return (rows as Unread<UsageTotal>[]).map(withLatencies);
    },
    topAccounts: ({ resolution, from, to, limit }) => {
      const rows = db.prepare(topAccountsSql(TABLES[resolution])).all({ from, to, limit });
      return toTopAccounts(rows as TopAccountRow[]);
    },
  };
}

type Shape = Omit<UsageQuery, "accountId" | "from" | "to">;

/**
 * The rows of each moment are summed first, in the order of the primary key, and only these sums
 * put together to steps and names. Numbers arrive as floating point, hence the casts.
 */
export function seriesSql(query: Shape & Pick<UsageSeriesQuery, "by">): string {
  const { by, keyId } = query;
  return `
WITH RECURSIVE ${keyId === undefined ? "" : `${moments(query)}, `}slice AS MATERIALIZED (
  SELECT at, ${COLUMNS[by]} AS name, sum(calls) AS calls, sum(credits) AS credits,
    sum(iif(outcome IN (${NO_FAILURES}), 0, calls)) AS failed
  FROM ${tableOf(query, by === "key")} WHERE ${conditions(query)} GROUP BY at, name
), leading AS MATERIALIZED (
  SELECT name FROM slice GROUP BY name ORDER BY sum(calls) DESC, name LIMIT :top
)
SELECT at / CAST(:stepMs AS INTEGER) * CAST(:stepMs AS INTEGER) AS at,
  iif(name IN leading, name, NULL) AS name,
  sum(calls) AS calls, sum(credits) AS credits, sum(failed) AS failed
FROM slice GROUP BY 1, 2 ORDER BY 1, 2 NULLS LAST`;
}

export function latenciesSql(query: Shape): string {
  return `
${withMoments(query)}
SELECT at / CAST(:stepMs AS INTEGER) * CAST(:stepMs AS INTEGER) AS at,
  ${latencySums("json_array")} AS latencies
FROM ${tableOf(query, false)} WHERE ${conditions(query)} GROUP BY 1 ORDER BY 1`;
}

export function totalsSql(query: Shape): string {
  return `
${withMoments(query)}
SELECT network, method, outcome, sum(calls) AS calls, sum(credits) AS credits,
  sum(bytes) AS bytes, sum(latency_ms) AS latencyMs, ${latencySums("json_array")} AS latencies
FROM ${tableOf(query, false)} WHERE ${conditions(query)}
GROUP BY network, method, outcome ORDER BY network, method, outcome`;
}

const withMoments = (query: Shape): string =>
  query.keyId === undefined ? "" : `WITH RECURSIVE ${moments(query)}`;

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
function conditions(query: Shape): string {
  const rows =
    query.keyId === undefined ? `${SPAN} >= :from` : "account_id = :accountId AND at IN moments";
  return rows + filterSql(query);
}
