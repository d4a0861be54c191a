import { type LatencyCounts, noLatencies } from "../../lib/latency-counts.ts";
import {
  type AccountTotal,
  ANSWERED_OUTCOMES,
  type ContractCount,
  REVERTED_OUTCOMES,
  type TopAccounts,
  type UsageBucket,
  type UsageDimension,
  type UsageQuery,
  type UsageResolution,
} from "../usage-store.ts";

export const MINUTE_MS = 60_000;

export const TABLES: Readonly<Record<UsageResolution, string>> = {
  minute: "usage_minutes",
  hour: "usage_hours",
  day: "usage_days",
};
/** The hours without the keys. */
const HOUR_SUMS = "usage_hour_sums";

/** The column that a dimension of the usage is. */
export const COLUMNS: Readonly<Record<UsageDimension, string>> = {
  method: "method",
  network: "network",
  key: "key_id",
  outcome: "outcome",
};

/** A count for each span of LATENCY_BOUNDS_MS; NULL is none. */
const LATENCY_COLUMNS = noLatencies().map((_, place) => `latency_${place}`);

export const LATENCY_LIST = LATENCY_COLUMNS.join(", ");
export const LATENCY_PLACES = LATENCY_COLUMNS.map(() => "?").join(", ");

/** The sums of `counts`, an array of PostgreSQL, in the same order. */
export const COUNTS_OF_LIST = LATENCY_COLUMNS.map(
  (_, place) => `nullif(sum(counts[${place + 1}]), 0)`,
).join(", ");

/** Adds the counts of a row that is there already (`mine`, and a dot) to those that are inserted. */
export const addedLatencies = (mine: string): string =>
  LATENCY_COLUMNS.map(
    (name) =>
      `${name} = coalesce(${mine}${name} + excluded.${name}, ${mine}${name}, excluded.${name})`,
  ).join(", ");

/** The sums of the counts as a list of JSON, by the function that makes one. */
export const latencySums = (listFunction: string): string =>
  `${listFunction}(${LATENCY_COLUMNS.map((name) => `coalesce(sum(${name}), 0)`).join(", ")})`;

/** The list as PostgreSQL makes it. */
export const LATENCIES = `${latencySums("json_build_array")}::text`;

/** Counts as an array of PostgreSQL is written. */
export const arrayText = (counts: LatencyCounts): string => `{${counts.join(",")}}`;

/** Counts as values of LATENCY_PLACES. */
export const countValues = (counts: LatencyCounts): readonly (number | null)[] =>
  counts.map((count) => count || null);

/** A row whose counts are still the text of a list. */
export type Unread<Row> = Omit<Row, "latencies"> & { readonly latencies: string };

/** A row with such a list, read. */
export function withLatencies<Row extends { readonly latencies: string }>(
  row: Row,
): Omit<Row, "latencies"> & { readonly latencies: LatencyCounts } {
  return { ...row, latencies: JSON.parse(row.latencies) as number[] };
}

/** A list of SQL. */
export const NO_FAILURES = [...ANSWERED_OUTCOMES, ...REVERTED_OUTCOMES]
  .map((outcome) => `'${outcome}'`)
  .join(", ");

/** The table that answers a question with the fewest rows; `byKey`: its keys are told apart. */
export function tableOf(
  { resolution, keyId }: Pick<UsageQuery, "resolution" | "keyId">,
  byKey: boolean,
) {
  return resolution === "hour" && keyId === undefined && !byKey ? HOUR_SUMS : TABLES[resolution];
}

/** A name that no statement has is an error, so what is absent is left out. */
export function spanValues(query: UsageQuery): Record<string, string | number> {
  const { accountId, from, to } = query;
  const filters = FILTERS.flatMap(([name]) => {
    const value = query[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { accountId, from, to, ...Object.fromEntries(filters) };
}

type Filters = Pick<UsageQuery, "keyId" | "network" | "method" | "outcome">;

const FILTERS = [
  ["keyId", "key_id"],
  ["network", "network"],
  ["method", "method"],
  ["outcome", "outcome"],
] as const satisfies readonly (readonly [keyof Filters, string])[];

/** Conditions of SQL for what a query is of, each after an AND. */
export function filterSql(query: Filters): string {
  return FILTERS.filter(([name]) => query[name] !== undefined)
    .map(([name, column]) => ` AND ${column} = :${name}`)
    .join("");
}

/** The newest minute of a batch, Unix milliseconds. */
export function newestOf(
  buckets: readonly UsageBucket[],
  contracts: readonly ContractCount[],
): number {
  const minutes = [...buckets, ...contracts].map(({ minute }) => minute);
  return minutes.reduce((newest, minute) => Math.max(newest, minute), 0) * MINUTE_MS;
}

export type TopAccountRow = AccountTotal & {
  readonly allCalls: number;
  readonly allCredits: number;
  readonly allFailed: number;
  readonly accounts: number;
};

/** Each row has the sums of all accounts as well, so that both are of one moment. By the index on the time. */
export const topAccountsSql = (table: string): string => `
SELECT account_id AS "accountId", sum(calls) AS calls, sum(credits) AS credits,
  sum(CASE WHEN outcome IN (${NO_FAILURES}) THEN 0 ELSE calls END) AS failed,
  sum(sum(calls)) OVER () AS "allCalls", sum(sum(credits)) OVER () AS "allCredits",
  sum(sum(CASE WHEN outcome IN (${NO_FAILURES}) THEN 0 ELSE calls END)) OVER () AS "allFailed",
  count(*) OVER () AS accounts
FROM ${table} WHERE at >= :from AND at < :to
GROUP BY account_id ORDER BY credits DESC, calls DESC, account_id LIMIT :limit`;

export function toTopAccounts(rows: readonly TopAccountRow[]): TopAccounts {
  const { allCalls = 0, allCredits = 0, allFailed = 0, accounts = 0 } = rows[0] ?? {};
  return {
    leading: rows.map(({ accountId, calls, credits, failed }) => ({
      ...{ accountId, calls, credits, failed },
    })),
    all: { calls: allCalls, credits: allCredits, failed: allFailed, accounts },
  };
}
