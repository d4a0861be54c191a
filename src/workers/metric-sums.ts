import { type Metric, Registry } from "prom-client";
import type { MetricFamily, MetricSample } from "../admin/operations.ts";

/** All others are added up. */
const NOT_ADDED: Readonly<Record<string, (one: number, other: number) => number>> = Object.freeze({
  tollgate_build_info: Math.max,
  // All workers report the same value of these, some later than others.
  tollgate_network_head: Math.max,
  tollgate_upstream_head: Math.max,
  tollgate_upstream_ready: Math.max,
  // Each sees the whole folder.
  tollgate_disk_cache_bytes: Math.max,
  // Where one does not reach it, some calls are refused.
  tollgate_storage_up: Math.min,
});

const added = (one: number, other: number): number => one + other;

/** The beginning of the metrics of a process alone. */
const OWN_PREFIX = "tollgate_";

/** The figures of the process (memory, event loop) say whose they are; calls belong to all. */
export function ofWorker(
  worker: string,
  families: readonly MetricFamily[],
): readonly MetricFamily[] {
  return families.map((family) => {
    if (family.name.startsWith(OWN_PREFIX)) return family;
    const values = family.values.map((sample) => {
      return { ...sample, labels: { ...sample.labels, worker } };
    });
    return { ...family, values };
  });
}

/** Each metric once, with one sample for each set of labels. */
export function sumFamilies(all: readonly MetricFamily[]): readonly MetricFamily[] {
  const sums = new Map<string, { family: MetricFamily; samples: Map<string, MetricSample> }>();
  for (const family of all) {
    const sum = sums.get(family.name) ?? { family, samples: new Map() };
    sums.set(family.name, sum);
    const add = NOT_ADDED[family.name] ?? added;
    for (const sample of family.values) {
      const key = keyOf(sample);
      const known = sum.samples.get(key);
      const value = known === undefined ? sample.value : add(known.value, sample.value);
      sum.samples.set(key, { ...sample, value });
    }
  }
  return [...sums.values()].map(({ family, samples }) => ({
    ...family,
    values: [...samples.values()],
  }));
}

/** A metric's labels always come in the same order, from every worker. */
const keyOf = ({ metricName = "", labels }: MetricSample): string =>
  `${metricName} ${JSON.stringify(labels)}`;

/** The part of a worker's metrics that stays when it has ended: its counts. */
export function countedOf(families: readonly MetricFamily[]): readonly MetricFamily[] {
  return families.filter(({ type }) => type === "counter" || type === "histogram");
}

/** Prometheus text. */
export function metricsText(families: readonly MetricFamily[]): Promise<string> {
  const registry = new Registry();
  for (const family of families) {
    // As the registry takes it: it asks for nothing but the name and `get`.
    registry.registerMetric({ ...family, get: () => family } as unknown as Metric);
  }
  return registry.metrics();
}
