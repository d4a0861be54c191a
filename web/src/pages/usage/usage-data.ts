import type { UsageLatency, UsageSeries } from "../../../../src/console/contract/usage.ts";
import { type ChartData, type ChartSeries, COUNTS, TIMES } from "../../charts/chart-data.ts";
import type { Measure } from "./usage-choices.ts";

/** The answer's numbers of one measure; series without any are left out of the legend. */
export function chartDataOf(answer: UsageSeries, measure: Exclude<Measure, "latency">): ChartData {
  return {
    ...stepsOf(answer),
    figures: COUNTS,
    series: answer.series
      .map((series) => ({ name: series.name, values: series[measure] }))
      .filter(({ values }) => values.some((value) => value > 0)),
  };
}

/** The percentiles, each a line; steps without calls have no point. */
export function latencyDataOf(answer: UsageLatency): ChartData {
  return {
    ...stepsOf(answer),
    figures: TIMES,
    series: PERCENTILES.map(percentileSeries(answer)),
  };
}

export const PERCENTILES = ["p50", "p95", "p99"] as const;

export const percentileSeries =
  (answer: Pick<UsageLatency, (typeof PERCENTILES)[number] | "whole">) =>
  (name: (typeof PERCENTILES)[number]): ChartSeries => ({
    name,
    values: answer[name],
    whole: answer.whole[name],
  });

export function stepsOf({
  from,
  to,
  stepMs,
  times,
}: Omit<UsageLatency, "p50" | "p95" | "p99" | "whole">) {
  return {
    from: Date.parse(from),
    to: Date.parse(to),
    stepMs,
    times: times.map((time) => Date.parse(time)),
  };
}
