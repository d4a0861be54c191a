import {
  addLatencies,
  type LatencyCounts,
  latencyQuantile,
  noLatencies,
} from "../../lib/latency-counts.ts";
import type { LatencyPoint } from "../../storage/usage-store.ts";
import type { Latency, UsageLatency } from "../contract/usage.ts";
import { timesOf } from "./usage-series.ts";
import type { Span } from "./usage-span.ts";

/** Milliseconds, to a tenth. */
export function percentilesOf(counts: LatencyCounts): Latency {
  const tenths = (share: number): number | null => {
    const ms = latencyQuantile(counts, share);
    return ms === undefined ? null : Math.round(ms * 10) / 10;
  };
  return { p50: tenths(0.5), p95: tenths(0.95), p99: tenths(0.99) };
}

/** Those of each step of the span, null where nothing was called, and of all steps together. */
export function latencyOver(
  points: readonly LatencyPoint[],
  span: Pick<Span, "from" | "to" | "stepMs">,
): Pick<UsageLatency, "p50" | "p95" | "p99" | "whole"> {
  const byTime = new Map(points.map(({ at, latencies }) => [at, latencies]));
  const steps = timesOf(span).map((at) => percentilesOf(byTime.get(at) ?? []));
  const all = noLatencies();
  for (const { latencies } of points) addLatencies(all, latencies);
  return {
    p50: steps.map(({ p50 }) => p50),
    p95: steps.map(({ p95 }) => p95),
    p99: steps.map(({ p99 }) => p99),
    whole: percentilesOf(all),
  };
}
