import type { DatabaseSync, StatementSync } from "node:sqlite";
import {
  addedLatencies,
  countValues,
  LATENCY_LIST,
  LATENCY_PLACES,
  MINUTE_MS,
  newestOf,
} from "../rows/usage.ts";
import type {
  ContractCount,
  UsageBucket,
  UsageQuery,
  UsageResolution,
  UsageRow,
  UsageStore,
} from "../usage-store.ts";
import { type Blocking, transaction } from "./database.ts";
import { pruning } from "./pruning.ts";
import { usageSums } from "./usage-sums.ts";

type Resolution = {
  readonly name: UsageResolution;
  readonly table: string;
  readonly minutes: number;
};

const RESOLUTIONS: readonly Resolution[] = [
  { name: "minute", table: "usage_minutes", minutes: 1 },
  { name: "hour", table: "usage_hours", minutes: 60 },
  { name: "day", table: "usage_days", minutes: 1440 },
];

type ByResolution<Value> = Readonly<Record<UsageResolution, Value>>;

export function usageStatements(db: DatabaseSync): Blocking<UsageStore> {
  const query = perTable((table) => db.prepare(querySql(table)));
  const top = db.prepare(
    `SELECT network, contract, sum(calls) AS calls FROM contract_minutes
     WHERE account_id = :accountId AND at >= :from AND at < :to
     GROUP BY network, contract ORDER BY calls DESC, network, contract LIMIT :limit`,
  );
  return {
    record: recording(db),
    query: ({ accountId, resolution, from, to, ...some }: UsageQuery) => {
      const { keyId = null, network = null, method = null, outcome = null } = some;
      const filters = { keyId, network, method, outcome };
      return query[resolution].all({ accountId, ...filters, from, to }) as UsageRow[];
    },
    ...usageSums(db),
    topContracts: ({ accountId, from, to, limit }) =>
      top.all({ accountId, from, to, limit }) as Omit<ContractCount, "minute" | "accountId">[],
    prune: pruning(db),
  };
}

function perTable(prepare: (table: string) => StatementSync): ByResolution<StatementSync> {
  const entries = RESOLUTIONS.map(({ name, table }) => [name, prepare(table)]);
  return Object.fromEntries(entries) as ByResolution<StatementSync>;
}

/** In the order of the primary key, so that nothing is sorted. */
export const querySql = (table: string): string =>
  `SELECT at, key_id AS keyId, network, method, outcome, calls, credits, bytes,
     latency_ms AS latencyMs
   FROM ${table}
   WHERE account_id = :accountId AND at >= :from AND at < :to
     AND (:keyId IS NULL OR key_id = :keyId) AND (:network IS NULL OR network = :network)
     AND (:method IS NULL OR method = :method) AND (:outcome IS NULL OR outcome = :outcome)
   ORDER BY account_id, at, key_id, network, method, outcome`;

function recording(db: DatabaseSync): Blocking<UsageStore>["record"] {
  const upserts = perTable((table) => db.prepare(upsertSql(table)));
  const hourSum = db.prepare(
    `INSERT INTO usage_hour_sums (at, account_id, network, method, outcome, ${FIGURES})
     VALUES (?, ?, ?, ?, ?, ${PLACES}) ${ADDED}`,
  );
  const contract = db.prepare(
    `INSERT INTO contract_minutes (at, account_id, network, contract, calls)
     VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET calls = calls + excluded.calls`,
  );
  const claim = db.prepare(
    `INSERT INTO usage_batches (process, number, at) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET number = excluded.number, at = excluded.at
     WHERE number < excluded.number`,
  );
  return (buckets, contracts, batch) =>
    transaction(db, () => {
      if (batch !== undefined) {
        const { process, number } = batch;
        if (claim.run(process, number, newestOf(buckets, contracts)).changes === 0) return;
      }
      for (const { name, minutes } of RESOLUTIONS) {
        for (const bucket of buckets) add(upserts[name], bucket, minutes);
      }
      for (const bucket of buckets) addSum(hourSum, bucket);
      for (const { minute, accountId, network, contract: address, calls } of contracts) {
        contract.run(minute * MINUTE_MS, accountId, network, address, calls);
      }
    });
}

const ADDED = `ON CONFLICT DO UPDATE SET calls = calls + excluded.calls,
  credits = credits + excluded.credits, bytes = bytes + excluded.bytes,
  latency_ms = latency_ms + excluded.latency_ms, ${addedLatencies("")}`;

const FIGURES = `calls, credits, bytes, latency_ms, ${LATENCY_LIST}`;
const PLACES = `?, ?, ?, ?, ${LATENCY_PLACES}`;

const upsertSql = (table: string): string =>
  `INSERT INTO ${table} (at, account_id, key_id, network, method, outcome, ${FIGURES})
   VALUES (?, ?, ?, ?, ?, ?, ${PLACES}) ${ADDED}`;

function add(upsert: StatementSync, bucket: UsageBucket, minutes: number): void {
  const { accountId, keyId, network, method, outcome } = bucket;
  const at = beginning(bucket.minute, minutes);
  upsert.run(at, accountId, keyId, network, method, outcome, ...figuresOf(bucket));
}

function addSum(upsert: StatementSync, bucket: UsageBucket): void {
  const { accountId, network, method, outcome } = bucket;
  const at = beginning(bucket.minute, 60);
  upsert.run(at, accountId, network, method, outcome, ...figuresOf(bucket));
}

function figuresOf({ calls, credits, bytes, latencyMs, latencies }: UsageBucket) {
  return [calls, credits, bytes, latencyMs, ...countValues(latencies)];
}

const beginning = (minute: number, minutes: number): number =>
  (minute - (minute % minutes)) * MINUTE_MS;
