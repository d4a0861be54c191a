import type { NodeHistoryView } from "../../../../src/console/contract/operator-networks.ts";
import { type ChartData, COUNTS, TIMES } from "../../charts/chart-data.ts";
import { PERCENTILES, percentileSeries, stepsOf } from "../usage/usage-data.ts";

/** What is drawn of a node's history. */
export const NODE_MEASURES = [
  { value: "latency", label: "Latency", unit: "latency" },
  { value: "calls", label: "Calls", unit: "calls" },
  { value: "lag", label: "Head lag", unit: "blocks" },
] as const;
export type NodeMeasure = (typeof NODE_MEASURES)[number]["value"];

/** Blocks behind: the most of each step, which do not add up to anything. */
const BLOCKS = { ...COUNTS, addUp: false };

export function nodeDataOf(history: NodeHistoryView, measure: NodeMeasure): ChartData {
  const steps = stepsOf(history);
  const { calls, failed, lag } = history;
  if (measure === "latency") {
    return { ...steps, figures: TIMES, series: PERCENTILES.map(percentileSeries(history)) };
  }
  if (measure === "lag") {
    const known = lag.filter((blocks) => blocks !== null);
    const whole = known.length === 0 ? null : Math.max(...known);
    return { ...steps, figures: BLOCKS, series: [{ name: "most", values: lag, whole }] };
  }
  const answered = calls.map((count, at) => count - (failed[at] ?? 0));
  const series = [
    { name: "ok", values: answered },
    { name: "unavailable", values: failed },
  ];
  return { ...steps, figures: COUNTS, series };
}
