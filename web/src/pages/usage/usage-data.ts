import type { UsageSeries } from "../../../../src/console/contract/usage.ts";
import type { ChartData } from "../../charts/chart-data.ts";
import type { Measure } from "./usage-choices.ts";

/** The answer's numbers of one measure; series without any are left out of the legend. */
export function chartDataOf(answer: UsageSeries, measure: Measure): ChartData {
  return {
    from: Date.parse(answer.from),
    to: Date.parse(answer.to),
    stepMs: answer.stepMs,
    times: answer.times.map((time) => Date.parse(time)),
    series: answer.series
      .map((series) => ({ name: series.name, values: series[measure] }))
      .filter(({ values }) => values.some((value) => value > 0)),
  };
}
