import { addLatencies, type LatencyCounts, noLatencies } from "../../lib/latency-counts.ts";
import {
  type AccountTotal,
  isFailure,
  type LatencyPoint,
  type TopAccounts,
  type UsageBucket,
  type UsageDimension,
  type UsagePoint,
  type UsageRow,
  type UsageSeriesQuery,
  type UsageTotal,
} from "../usage-store.ts";
import { compare } from "./compare.ts";

const NAMES: Readonly<Record<UsageDimension, (row: UsageRow) => string>> = {
  method: (row) => row.method,
  network: (row) => row.network,
  key: (row) => row.keyId,
  outcome: (row) => row.outcome,
};

/** Sums of the rows of a span by step and name. */
export function seriesOf(
  rows: readonly UsageRow[],
  { by, stepMs, top }: Pick<UsageSeriesQuery, "by" | "stepMs" | "top">,
): readonly UsagePoint[] {
  const leading = leadingNames(rows, NAMES[by]).slice(0, top);
  const points = new Map<string, UsagePoint>();
  for (const row of rows) {
    const at = row.at - (row.at % stepMs);
    const name = leading.find((each) => each === NAMES[by](row)) ?? null;
    const key = JSON.stringify([at, name]);
    const { calls, credits, failed } = points.get(key) ?? { calls: 0, credits: 0, failed: 0 };
    points.set(key, {
      at,
      name,
      calls: calls + row.calls,
      credits: credits + row.credits,
      failed: failed + (isFailure(row.outcome) ? row.calls : 0),
    });
  }
  const order = ({ at, name }: UsagePoint) => [at, name === null ? 1 : 0, name ?? ""];
  return [...points.values()].sort((a, b) => compare(order(a), order(b)));
}

function leadingNames(
  rows: readonly UsageRow[],
  nameOf: (row: UsageRow) => string,
): readonly string[] {
  const calls = new Map<string, number>();
  for (const row of rows) calls.set(nameOf(row), (calls.get(nameOf(row)) ?? 0) + row.calls);
  const names = [...calls].sort(([a, callsA], [b, callsB]) => compare([-callsA, a], [-callsB, b]));
  return names.map(([name]) => name);
}

/** The accounts of the rows of a span, largest first. */
export function topAccountsOf(
  rows: readonly (UsageRow & { readonly accountId: string })[],
  limit: number,
): TopAccounts {
  const totals = new Map<string, AccountTotal>();
  const all = { calls: 0, credits: 0, failed: 0 };
  for (const { accountId, outcome, calls, credits } of rows) {
    const failed = isFailure(outcome) ? calls : 0;
    const sum = totals.get(accountId) ?? { calls: 0, credits: 0, failed: 0 };
    totals.set(accountId, { accountId, ...plus(sum, { calls, credits, failed }) });
    Object.assign(all, plus(all, { calls, credits, failed }));
  }
  const order = ({ accountId, calls, credits }: AccountTotal) => [-credits, -calls, accountId];
  const leading = [...totals.values()].sort((a, b) => compare(order(a), order(b)));
  return { leading: leading.slice(0, limit), all: { ...all, accounts: totals.size } };
}

type Counts = Omit<AccountTotal, "accountId">;
const plus = (a: Counts, b: Counts): Counts => ({
  calls: a.calls + b.calls,
  credits: a.credits + b.credits,
  failed: a.failed + b.failed,
});

export function latenciesOf(
  rows: readonly (Pick<UsageBucket, "latencies"> & { readonly at: number })[],
  stepMs: number,
): readonly LatencyPoint[] {
  const points = new Map<number, LatencyCounts>();
  for (const { at, latencies } of rows) {
    const step = at - (at % stepMs);
    points.set(step, sumOf(points.get(step) ?? noLatencies(), latencies));
  }
  return Array.from(points, ([at, latencies]) => ({ at, latencies })).sort((a, b) => a.at - b.at);
}

export function sumOf(a: LatencyCounts, b: LatencyCounts): LatencyCounts {
  const sums = [...a];
  addLatencies(sums, b);
  return sums;
}

/** Sums of the rows of a span by network, method and outcome. */
export function totalsOf(rows: readonly Omit<UsageBucket, "minute">[]): readonly UsageTotal[] {
  const none = { calls: 0, credits: 0, bytes: 0, latencyMs: 0, latencies: noLatencies() };
  const totals = new Map<string, UsageTotal>();
  for (const row of rows) {
    const { network, method, outcome, calls, credits, bytes, latencyMs, latencies } = row;
    const key = JSON.stringify([network, method, outcome]);
    const sum = totals.get(key) ?? none;
    totals.set(key, {
      network,
      method,
      outcome,
      calls: sum.calls + calls,
      credits: sum.credits + credits,
      bytes: sum.bytes + bytes,
      latencyMs: sum.latencyMs + latencyMs,
      latencies: sumOf(sum.latencies, latencies),
    });
  }
  const order = ({ network, method, outcome }: UsageTotal) => [network, method, outcome];
  return [...totals.values()].sort((a, b) => compare(order(a), order(b)));
}
