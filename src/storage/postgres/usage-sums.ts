import {
  COLUMNS,
  filterSql,
  LATENCIES,
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
  UsageStore,
  UsageTotal,
} from "../usage-store.ts";
import type { PostgresDatabase } from "./database.ts";

/** Figures for charts and tables, summed where the rows are. */
export function usageSums(
  db: PostgresDatabase,
): Pick<UsageStore, "series" | "latencies" | "totals" | "topAccounts"> {
  return {
    series: ({ by, stepMs, top, ...query }) => {
      const name = COLUMNS[by];
      const sql = `
WITH slice AS MATERIALIZED (
  SELECT at / :stepMs::bigint * :stepMs::bigint AS step, ${name} AS name, sum(calls) AS calls,
    sum(credits) AS credits,
    sum(CASE WHEN outcome IN (${NO_FAILURES}) THEN 0 ELSE calls END) AS failed
  FROM @${tableOf(query, by === "key")} WHERE ${conditions(query)} GROUP BY step, ${name}
), most_called AS MATERIALIZED (
  SELECT name FROM slice GROUP BY name ORDER BY sum(calls) DESC, name LIMIT :top
)
SELECT step AS at, CASE WHEN name IN (SELECT name FROM most_called) THEN name END AS shown,
  sum(calls) AS calls, sum(credits) AS credits, sum(failed) AS failed
FROM slice GROUP BY step, shown ORDER BY step, shown NULLS LAST`;
      type Row = Omit<UsagePoint, "name"> & { readonly shown: string | null };
      const values = { ...spanValues(query), stepMs, top };
      return db
        .read<Row>(sql, values)
        .then((rows) => rows.map(({ shown, ...row }) => ({ ...row, name: shown })));
    },
    latencies: async ({ stepMs, ...query }) => {
      const rows = await db.read<Unread<LatencyPoint & { readonly step: number }>>(
        `SELECT at / :stepMs::bigint * :stepMs::bigint AS step, ${LATENCIES} AS latencies
         FROM @${tableOf(query, false)} WHERE ${conditions(query)} GROUP BY step ORDER BY step`,
        { ...spanValues(query), stepMs },
      );
      return rows.map(withLatencies).map(({ step, latencies }) => ({ at: step, latencies }));
    },
    totals: async (query) => {
      const rows = await db.read<Unread<UsageTotal>>(
        `SELECT network, method, outcome, sum(calls) AS calls, sum(credits) AS credits,
           sum(bytes) AS bytes, sum(latency_ms) AS "latencyMs", ${LATENCIES} AS latencies
         FROM @${tableOf(query, false)} WHERE ${conditions(query)}
         GROUP BY network, method, outcome ORDER BY network, method, outcome`,
        spanValues(query),
      );
      return rows.map(withLatencies);
    },
    topAccounts: async ({ resolution, from, to, limit }) => {
      const sql = topAccountsSql(`@${TABLES[resolution]}`);
      return toTopAccounts(await db.read<TopAccountRow>(sql, { from, to, limit }));
    },
  };
}

const conditions = (query: Omit<UsageQuery, "resolution">): string =>
  `account_id = :accountId AND at >= :from AND at < :to${filterSql(query)}`;
