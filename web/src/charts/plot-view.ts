import type { ChartData } from "./chart-data.ts";
import { timeLimits } from "./chart-data.ts";
import { type StackedSeries, stackSeries } from "./stack.ts";

export type ChartKind = "bars" | "lines";

/** What is drawn: numbers ready for the plot, computed once for each change. */
export type PlotView = {
  readonly kind: ChartKind;
  readonly data: ChartData;
  readonly shown: readonly boolean[];
  /** Of bars. */
  readonly stacked: readonly StackedSeries[];
  /** Where the points lie: the middles of the spans, Unix milliseconds. */
  readonly middles: readonly number[];
  readonly limits: readonly [number, number];
  /** The largest number that is shown; at least 1. */
  readonly largest: number;
};

export function viewOf(data: ChartData, kind: ChartKind, shown: readonly boolean[]): PlotView {
  const values = data.series.map((series) => series.values);
  const stacked = kind === "bars" ? stackSeries(values, shown) : [];
  const drawn =
    kind === "bars"
      ? stacked.slice(-1).map(({ tops }) => tops)
      : values.filter((_, index) => shown[index] ?? true);
  let largest = 1;
  for (const line of drawn)
    for (const value of line) if ((value ?? 0) > largest) largest = value ?? 0;
  const middles = data.times.map((at) => at + data.stepMs / 2);
  return { kind, data, shown, stacked, middles, limits: timeLimits(data), largest };
}

/** The plot's columns: the middles, then each series' upper ends or values. */
export function columnsOf({
  kind,
  data,
  stacked,
  middles,
}: PlotView): [number[], ...(number | null)[][]] {
  const columns =
    kind === "bars" ? stacked.map(({ tops }) => tops) : data.series.map(({ values }) => values);
  return [[...middles], ...columns.map((column) => [...column])];
}
