import { collectDefaultMetrics, type Registry } from "prom-client";

/**
 * Between two looks of the event loop's monitor, which counts them with the lag. With its own 10 ms an idle process
 * woke up a hundred times a second for it, which was a quarter of its CPU.
 */
const LOOK_MS = 50;

/** Gauges that are named as counters are, at which promtool takes offence; the same by type stay. */
const NAMED_AS_COUNTERS = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
];

/** Adds what Prometheus wants of every process: CPU, memory, garbage collection, lag of the event loop. */
export function collectProcessMetrics(register: Registry): void {
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: LOOK_MS });
  for (const name of NAMED_AS_COUNTERS) register.removeSingleMetric(name);
}
