import type { MonotonicMs } from "../../lib/clock.ts";
import { isFailure } from "../../storage/usage-store.ts";
import { type Sample, samplesOf } from "./metric-lines.ts";

/** Calls and failed ones since the gateway began. */
type Count = { calls: number; failed: number };

/** The counters of one look, by network, and by network and upstream. */
export type Counters = {
  readonly atMs: MonotonicMs;
  readonly networks: ReadonlyMap<string, Count>;
  readonly upstreams: ReadonlyMap<string, Count>;
};

/** A second. */
export type Rate = { readonly calls: number; readonly failed: number };

/** `metrics`: what the admin port shows; `atMs`: monotonic. */
export function countersOf(metrics: string, atMs: MonotonicMs): Counters {
  const calls = samplesOf(metrics, "tollgate_calls_total");
  const attempts = samplesOf(metrics, "tollgate_upstream_calls_total");
  return {
    atMs,
    networks: count(calls, ({ network = "" }) => network),
    upstreams: count(attempts, ({ network = "", upstream = "" }) =>
      upstreamName(network, upstream),
    ),
  };
}

export function upstreamName(network: string, upstream: string): string {
  return `${network}\n${upstream}`;
}

/** Between two looks; null without a first one. A gateway that began anew counts from zero. */
export function rateOf(
  kind: "networks" | "upstreams",
  name: string,
  looks: { readonly before: Counters | undefined; readonly now: Counters },
): Rate | null {
  const { before, now } = looks;
  if (before === undefined || now.atMs <= before.atMs) return null;
  const seconds = (now.atMs - before.atMs) / 1000;
  const last = now[kind].get(name);
  const first = before[kind].get(name);
  const per = (figure: keyof Count): number => {
    const grown = (last?.[figure] ?? 0) - (first?.[figure] ?? 0);
    return Math.round((Math.max(grown, 0) / seconds) * 10) / 10;
  };
  return { calls: per("calls"), failed: per("failed") };
}

function count(
  samples: readonly Sample[],
  nameOf: (labels: Sample["labels"]) => string,
): Map<string, Count> {
  const counts = new Map<string, Count>();
  for (const { labels, value } of samples) {
    const name = nameOf(labels);
    const sum = counts.get(name) ?? { calls: 0, failed: 0 };
    sum.calls += value;
    if (isFailure(labels["outcome"] ?? "")) sum.failed += value;
    counts.set(name, sum);
  }
  return counts;
}
