import { useMemo } from "preact/hooks";
import { SERIES_BY } from "../../../../src/console/contract/constants.ts";
import type { UsageLatency, UsageSeries } from "../../../../src/console/contract/usage.ts";
import { Chart } from "../../charts/chart.tsx";
import { isUtc, useZone } from "../../time.ts";
import { Segments } from "../../ui/tabs.tsx";
import { MEASURES } from "./usage-choices.ts";
import { chartDataOf, latencyDataOf } from "./usage-data.ts";
import type { UsageQuery } from "./use-usage.ts";

type UsageChartProps = {
  readonly query: UsageQuery;
  /** Percentiles where the query's measure is the latency. */
  readonly answer: UsageSeries | UsageLatency;
  /** What people read in place of a key's id. */
  readonly nameOf: (series: string) => string;
};

export function UsageChart({ query, answer, nameOf }: UsageChartProps) {
  const ownZone = useZone();
  const { measure, by, kind, zone } = query;
  const isLatency = "p50" in answer;
  const data = useMemo(
    () =>
      "p50" in answer
        ? latencyDataOf(answer)
        : chartDataOf(answer, measure === "latency" ? "calls" : measure),
    [answer, measure],
  );
  const { label, unit } = MEASURES.find(({ value }) => value === measure) ?? MEASURES[0];
  return (
    <>
      <div class="usage-chart-controls">
        <Segments label="Count" choices={MEASURES} value={measure} onChange={query.setMeasure} />
        {!isLatency && (
          <>
            <Segments
              label="Split by"
              choices={SERIES_BY.map((value) => ({ value, label: `by ${value}` }))}
              value={by}
              onChange={query.setBy}
            />
            <Segments
              label="Draw as"
              choices={[
                { value: "bars", label: "Stacked" },
                { value: "lines", label: "Lines" },
              ]}
              value={kind}
              onChange={query.setKind}
            />
          </>
        )}
        {!isUtc(ownZone) && (
          <Segments
            label="Time zone of the chart"
            choices={[
              { value: "local", label: ownZone },
              { value: "utc", label: "UTC" },
            ]}
            value={query.isUtc ? "utc" : "local"}
            onChange={query.setTimes}
          />
        )}
      </div>
      <Chart
        label={isLatency ? label : `${label} by ${by}`}
        unit={unit}
        data={data}
        kind={isLatency ? "lines" : kind}
        of={!isLatency && by === "outcome" ? "outcome" : "name"}
        zone={zone}
        nameOf={nameOf}
      />
    </>
  );
}
