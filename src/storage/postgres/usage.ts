import { DAY_MS } from "../../lib/day.ts";
import {
  addedLatencies,
  arrayText,
  COUNTS_OF_LIST,
  filterSql,
  LATENCY_LIST,
  MINUTE_MS,
  newestOf,
  spanValues,
  TABLES,
} from "../rows/usage.ts";
import type { ContractCount, UsageBucket, UsageRow, UsageStore } from "../usage-store.ts";
import type { PostgresDatabase } from "./database.ts";
import { pruning } from "./pruning.ts";
import { usageSums } from "./usage-sums.ts";

/** The tables of buckets, and the milliseconds that a row of each stands for. */
const SPANS = { usage_minutes: MINUTE_MS, usage_hours: 60 * MINUTE_MS, usage_days: DAY_MS };

export function usageStore(db: PostgresDatabase): UsageStore {
  return {
    record: async (buckets, contracts, batch) => {
      await db.change(RECORD, {
        ...{ process: batch?.process ?? null, number: batch?.number ?? 0 },
        newest: newestOf(buckets, contracts),
        ...columnsOf(buckets),
        ...contractColumnsOf(contracts),
      });
    },
    query: (query) =>
      db.read<UsageRow>(
        `SELECT at, key_id AS "keyId", network, method, outcome, calls, credits, bytes,
           latency_ms AS "latencyMs"
         FROM @${TABLES[query.resolution]}
         WHERE account_id = :accountId AND at >= :from AND at < :to${filterSql(query)}
         ORDER BY at, key_id, network, method, outcome`,
        spanValues(query),
      ),
    ...usageSums(db),
    topContracts: (query) =>
      db.read<Omit<ContractCount, "minute" | "accountId">>(
        `SELECT network, contract, sum(calls) AS calls FROM @contract_minutes
         WHERE account_id = :accountId AND at >= :from AND at < :to
         GROUP BY network, contract ORDER BY calls DESC, network, contract LIMIT :limit`,
        query,
      ),
    prune: pruning(db),
  };
}

/** Rows come in the order of the key, so that two gateways that write at once wait, and not for each other. */
function upsertSql(table: string, spanMs: number, keys: string): string {
  return `INSERT INTO @${table} AS mine (at, ${keys}, calls, credits, bytes, latency_ms, ${LATENCY_LIST})
    SELECT minute * ${MINUTE_MS} / ${spanMs} * ${spanMs} AS started, ${keys},
      sum(calls), sum(credits), sum(bytes), sum(latency), ${COUNTS_OF_LIST}
    FROM bucket GROUP BY started, ${keys} ORDER BY account_id, started, ${keys}
    ON CONFLICT (${table === "usage_hour_sums" ? KEY_OF_SUMS : KEY}) DO UPDATE SET
      calls = mine.calls + excluded.calls, credits = mine.credits + excluded.credits,
      bytes = mine.bytes + excluded.bytes, latency_ms = mine.latency_ms + excluded.latency_ms,
      ${addedLatencies("mine.")}`;
}

const KEY = "account_id, at, key_id, network, method, outcome";
const KEY_OF_SUMS = "account_id, at, network, method, outcome";

/** `fresh` has a row where the batch has no number, or was not written before. */
const RECORD = `
WITH claimed AS (
  INSERT INTO @usage_batches AS mine (process, number, at)
  SELECT :process::text, :number::bigint, :newest::bigint WHERE :process::text IS NOT NULL
  ON CONFLICT (process) DO UPDATE SET number = excluded.number, at = excluded.at
  WHERE mine.number < excluded.number
  RETURNING 1
), fresh AS (
  SELECT 1 FROM claimed UNION ALL SELECT 1 WHERE :process::text IS NULL
), bucket AS MATERIALIZED (
  SELECT bucket.*, lists::bigint[] AS counts FROM unnest(:minutes::bigint[], :accounts::text[], :keys::text[], :networks::text[],
    :methods::text[], :outcomes::text[], :calls::bigint[], :credits::bigint[], :bytes::bigint[],
    :latencies::float8[], :latencyCounts::text[])
  AS bucket (minute, account_id, key_id, network, method, outcome, calls, credits, bytes, latency, lists), fresh
), ${Object.entries(SPANS)
  .map(
    ([table, spanMs]) =>
      `of_${table} AS (${upsertSql(table, spanMs, "account_id, key_id, network, method, outcome")})`,
  )
  .join(", ")},
of_sums AS (${upsertSql("usage_hour_sums", SPANS.usage_hours, "account_id, network, method, outcome")})
INSERT INTO @contract_minutes AS mine (at, account_id, network, contract, calls)
SELECT minute * ${MINUTE_MS} AS started, account_id, network, contract, sum(calls)
FROM unnest(:contractMinutes::bigint[], :contractAccounts::text[], :contractNetworks::text[],
  :contracts::text[], :contractCalls::bigint[])
AS counted (minute, account_id, network, contract, calls), fresh
GROUP BY started, account_id, network, contract ORDER BY account_id, started, network, contract
ON CONFLICT (account_id, at, network, contract) DO UPDATE SET calls = mine.calls + excluded.calls`;

function columnsOf(buckets: readonly UsageBucket[]) {
  return {
    minutes: buckets.map(({ minute }) => minute),
    accounts: buckets.map(({ accountId }) => accountId),
    keys: buckets.map(({ keyId }) => keyId),
    networks: buckets.map(({ network }) => network),
    methods: buckets.map(({ method }) => method),
    outcomes: buckets.map(({ outcome }) => outcome),
    calls: buckets.map(({ calls }) => calls),
    credits: buckets.map(({ credits }) => credits),
    bytes: buckets.map(({ bytes }) => bytes),
    latencies: buckets.map(({ latencyMs }) => latencyMs),
    latencyCounts: buckets.map(({ latencies }) => arrayText(latencies)),
  };
}

function contractColumnsOf(counts: readonly ContractCount[]) {
  return {
    contractMinutes: counts.map(({ minute }) => minute),
    contractAccounts: counts.map(({ accountId }) => accountId),
    contractNetworks: counts.map(({ network }) => network),
    contracts: counts.map(({ contract }) => contract),
    contractCalls: counts.map(({ calls }) => calls),
  };
}
