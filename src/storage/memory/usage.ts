import type {
  ContractCount,
  UsageBucket,
  UsageQuery,
  UsageResolution,
  UsageRow,
  UsageStore,
} from "../usage-store.ts";
import { compare } from "./compare.ts";
import { latenciesOf, seriesOf, sumOf, topAccountsOf, totalsOf } from "./usage-sums.ts";

const MINUTE_MS = 60_000;
const MINUTES: Readonly<Record<UsageResolution, number>> = { minute: 1, hour: 60, day: 1440 };
const RESOLUTIONS = ["minute", "hour", "day"] as const;
const FILTERS = ["keyId", "network", "method", "outcome"] as const;

type Row = Omit<UsageBucket, "minute"> & Pick<UsageRow, "at">;
type Contract = Omit<ContractCount, "minute"> & { readonly at: number };
/** By all that names a row. */
type Table<Value> = Map<string, Value>;

/** Usage in memory; each method is carried out at once. */
export function memoryUsage(check: () => void): UsageStore {
  const tables: Readonly<Record<UsageResolution, Table<Row>>> = {
    minute: new Map(),
    hour: new Map(),
    day: new Map(),
  };
  const contracts: Table<Contract> = new Map();
  const rowsOf = (query: UsageQuery): Row[] => {
    check();
    const { accountId, resolution, from, to } = query;
    const isOne = (name: (typeof FILTERS)[number], row: Row) =>
      query[name] === undefined || row[name] === query[name];
    return [...tables[resolution].values()]
      .filter((row) => row.accountId === accountId && row.at >= from && row.at < to)
      .filter((row) => FILTERS.every((name) => isOne(name, row)))
      .sort((a, b) => compare(nameOf(a), nameOf(b)));
  };
  /** The last batch of each process. */
  const written = new Map<string, number>();
  return {
    record: async (buckets, counts, batch) => {
      check();
      if (batch !== undefined) {
        if ((written.get(batch.process) ?? 0) >= batch.number) return;
        written.set(batch.process, batch.number);
      }
      for (const name of RESOLUTIONS) {
        for (const bucket of buckets) addRow(tables[name], toRow(bucket, MINUTES[name]));
      }
      for (const count of counts) addContract(contracts, count);
    },
    query: async (query) => rowsOf(query).map(({ accountId: _, latencies: __, ...row }) => row),
    series: async (query) => seriesOf(rowsOf(query), query),
    latencies: async (query) => latenciesOf(rowsOf(query), query.stepMs),
    totals: async (query) => totalsOf(rowsOf(query)),
    topAccounts: async ({ resolution, from, to, limit }) => {
      check();
      const rows = [...tables[resolution].values()].filter(({ at }) => at >= from && at < to);
      return topAccountsOf(rows, limit);
    },
    topContracts: async ({ accountId, from, to, limit }) => {
      check();
      const found = [...contracts.values()].filter(
        (count) => count.accountId === accountId && count.at >= from && count.at < to,
      );
      return mostCalled(found).slice(0, limit);
    },
    prune: async (before) => {
      check();
      for (const name of RESOLUTIONS) drop(tables[name], before[name]);
      drop(contracts, before.minute);
      return false;
    },
  };
}

function toRow({ minute, ...bucket }: UsageBucket, minutes: number): Row {
  return { ...bucket, at: (minute - (minute % minutes)) * MINUTE_MS };
}

const nameOf = (row: Row): readonly (string | number)[] => [
  row.accountId,
  row.at,
  row.keyId,
  row.network,
  row.method,
  row.outcome,
];

function addRow(table: Table<Row>, row: Row): void {
  const name = JSON.stringify(nameOf(row));
  const before = table.get(name);
  table.set(name, before === undefined ? row : plus(before, row));
}

function addContract(table: Table<Contract>, { minute, ...count }: ContractCount): void {
  const name = JSON.stringify([count.accountId, minute, count.network, count.contract]);
  const calls = count.calls + (table.get(name)?.calls ?? 0);
  table.set(name, { ...count, calls, at: minute * MINUTE_MS });
}

function drop(table: Table<{ readonly at: number }>, before: number): void {
  for (const [name, { at }] of table) if (at < before) table.delete(name);
}

const plus = (a: Row, b: Row): Row => ({
  ...a,
  calls: a.calls + b.calls,
  credits: a.credits + b.credits,
  bytes: a.bytes + b.bytes,
  latencyMs: a.latencyMs + b.latencyMs,
  latencies: sumOf(a.latencies, b.latencies),
});

function mostCalled(
  counts: readonly Contract[],
): readonly Omit<ContractCount, "minute" | "accountId">[] {
  const calls = new Map<string, number>();
  for (const { network, contract, calls: more } of counts) {
    const key = JSON.stringify([network, contract]);
    calls.set(key, (calls.get(key) ?? 0) + more);
  }
  const sums = Array.from(calls, ([key, sum]) => {
    const [network, contract] = JSON.parse(key) as [string, string];
    return { network, contract, calls: sum };
  });
  return sums.sort((a, b) =>
    compare([-a.calls, a.network, a.contract], [-b.calls, b.network, b.contract]),
  );
}
