import { addLatencies, noLatencies } from "../../lib/latency-counts.ts";
import { isFailure, REVERTED_OUTCOMES, type UsageTotal } from "../../storage/usage-store.ts";
import type { UsageRow } from "../contract/usage.ts";
import { percentilesOf } from "./usage-latency.ts";

type Sum = { row: UsageRow; latencyMs: number; readonly latencies: number[] };

/** One row for each network and method, dearest first. */
export function tableOf(totals: readonly UsageTotal[]): UsageRow[] {
  const sums = new Map<string, Sum>();
  for (const total of totals) {
    const { network, method } = total;
    const name = `${network}\n${method}`;
    const sum = sums.get(name) ?? emptySum(network, method);
    add(sum, total);
    sums.set(name, sum);
  }
  return [...sums.values()]
    .map(({ row, latencyMs, latencies }) => ({
      ...row,
      latencyMs: mean(latencyMs, row.calls),
      ...percentilesOf(latencies),
    }))
    .sort((a, b) => b.credits - a.credits || b.calls - a.calls || (nameOf(a) < nameOf(b) ? -1 : 1));
}

/** Milliseconds, to a tenth. */
export function mean(sum: number, calls: number): number {
  return calls === 0 ? 0 : Math.round((sum / calls) * 10) / 10;
}

function add(sum: Sum, { outcome, calls, credits, bytes, latencyMs, latencies }: UsageTotal): void {
  const { row } = sum;
  row.calls += calls;
  row.credits += credits;
  row.bytes += bytes;
  row[kindOf(outcome)] += calls;
  row.outcomes[outcome] = (row.outcomes[outcome] ?? 0) + calls;
  sum.latencyMs += latencyMs;
  addLatencies(sum.latencies, latencies);
}

function kindOf(outcome: string): "ok" | "reverted" | "failed" {
  if (isFailure(outcome)) return "failed";
  return REVERTED_OUTCOMES.includes(outcome) ? "reverted" : "ok";
}

function emptySum(network: string, method: string): Sum {
  const figures = { calls: 0, ok: 0, reverted: 0, failed: 0, credits: 0, bytes: 0, latencyMs: 0 };
  const latencies = noLatencies();
  const row = { network, method, ...figures, ...percentilesOf(latencies), outcomes: {} };
  return { row, latencyMs: 0, latencies };
}

const nameOf = ({ network, method }: UsageRow): string => `${network}\n${method}`;
