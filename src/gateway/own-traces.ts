import { hostname } from "node:os";
import type { Config } from "../config/schema.ts";
import type { Time } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { Logger } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { SpanExporter } from "../telemetry/traces/span-exporter.ts";
import { Traces } from "./traces.ts";

export type OwnTraces = { readonly traces: Traces | undefined; readonly stop: () => Promise<void> };

/** This process's traces; without `traces` in the file none are made. `process` tells it from all others. */
export function ownTraces(
  { traces: options }: Config,
  parts: {
    readonly clock: Time;
    readonly log: Logger;
    readonly metrics: Metrics;
    readonly process: string;
    readonly random: () => number;
    readonly bytes: Random;
  },
): OwnTraces {
  if (options === undefined) return { traces: undefined, stop: async () => undefined };
  const { process: instance, metrics } = parts;
  const exporter = new SpanExporter({ ...options, instance, host: hostname() }, parts);
  metrics.watchSpans(exporter);
  const traces = new Traces(options, { ...parts, exporter });
  return { traces, stop: () => exporter.stop() };
}
