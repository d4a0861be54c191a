import { ANSWERED_OUTCOMES, type UsageTotal } from "../../storage/usage-store.ts";
import type { UsageRow } from "../contract/usage.ts";

type Sum = { row: UsageRow; latencyMs: number };

/** One row for each network and method, dearest first. */
export function tableOf(totals: readonly UsageTotal[]): UsageRow[] {
  const sums = new Map<string, Sum>();
  for (const total of totals) {
    const { network, method } = total;
    const name = `${network}\n${method}`;
    const sum = sums.get(name) ?? { row: emptyRow(network, method), latencyMs: 0 };
    add(sum, total);
    sums.set(name, sum);
  }
  return [...sums.values()]
    .map(({ row, latencyMs }) => ({ ...row, latencyMs: mean(latencyMs, row.calls) }))
    .sort((a, b) => b.credits - a.credits || b.calls - a.calls || (nameOf(a) < nameOf(b) ? -1 : 1));
}

/** Milliseconds, to a tenth. */
export function mean(sum: number, calls: number): number {
  return calls === 0 ? 0 : Math.round((sum / calls) * 10) / 10;
}

function add(sum: Sum, { outcome, calls, credits, bytes, latencyMs }: UsageTotal): void {
  const { row } = sum;
  const isAnswered = ANSWERED_OUTCOMES.includes(outcome);
  row.calls += calls;
  row.credits += credits;
  row.bytes += bytes;
  row[isAnswered ? "ok" : "failed"] += calls;
  row.outcomes[outcome] = (row.outcomes[outcome] ?? 0) + calls;
  sum.latencyMs += latencyMs;
}

function emptyRow(network: string, method: string): UsageRow {
  const figures = { calls: 0, ok: 0, failed: 0, credits: 0, bytes: 0, latencyMs: 0 };
  return { network, method, ...figures, outcomes: {} };
}

const nameOf = ({ network, method }: UsageRow): string => `${network}\n${method}`;
