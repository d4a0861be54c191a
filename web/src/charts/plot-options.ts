import uPlot from "uplot";
import { barPaths } from "./plot-paths.ts";
import type { PlotView } from "./plot-view.ts";
import { timeTicks } from "./time-ticks.ts";

/** The page's colours, as the plot's canvas needs them. */
export type PlotColours = {
  readonly text: string;
  readonly grid: string;
  readonly font: string;
};

/** What the plot asks for each time it draws: it may have changed since. */
export type PlotSource = {
  readonly view: () => PlotView;
  readonly zone: () => string;
  readonly colours: () => PlotColours;
  readonly fill: (series: number) => string | CanvasPattern;
  readonly line: (series: number) => { readonly colour: string; readonly dashed: boolean };
  /** The span under the pointer. */
  readonly onHover: (index: number | undefined) => void;
};

/** Room for a label of the time axis, CSS pixels. */
const LABEL_WIDTH = 60;
const CHARACTER_WIDTH = 7;
const LEVELS: number[] = Array.from({ length: 15 }, (_, power) => 10 ** power).flatMap((unit) => [
  unit,
  2 * unit,
  5 * unit,
]);

export function plotOptions(
  source: PlotSource,
  size: { readonly width: number; readonly height: number },
): uPlot.Options {
  const { view } = source;
  return {
    ...size,
    ms: 1,
    padding: [10, 24, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: view().kind === "lines" } },
    scales: {
      x: { time: false, range: () => [...view().limits] },
      y: { range: () => [0, view().largest * 1.05] },
    },
    axes: [timeAxis(source), valueAxis(source)],
    series: [{}, ...view().data.series.map((_, index) => seriesOptions(source, index))],
    hooks: {
      setCursor: [
        ({ cursor }) => {
          const isInside = (cursor.left ?? -1) >= 0 && typeof cursor.idx === "number";
          source.onHover(isInside ? (cursor.idx ?? undefined) : undefined);
        },
      ],
    },
  };
}

function seriesOptions(source: PlotSource, index: number): uPlot.Series {
  const { fill, line, view } = source;
  const { name } = view().data.series[index] ?? { name: "" };
  const show = view().shown[index] ?? true;
  if (view().kind === "bars") {
    const paths = barPaths(view);
    return { label: name, show, width: 0, points: { show: false }, paths, fill: () => fill(index) };
  }
  return {
    ...{ label: name, show, width: 2, points: { show: false } },
    stroke: () => line(index).colour,
    ...(line(index).dashed && { dash: [6, 4] }),
  };
}

function timeAxis({ view, zone, colours }: PlotSource): uPlot.Axis {
  const ticksOf = (plot: uPlot) => {
    const [from, to] = view().limits;
    const most = Math.max(2, Math.floor(plot.bbox.width / uPlot.pxRatio / LABEL_WIDTH));
    return timeTicks({ from, to, zone: zone(), most, locale: "en-GB" });
  };
  return {
    ...{ size: 48, gap: 6, font: colours().font, stroke: () => colours().text },
    splits: (plot) => ticksOf(plot).map(({ at }) => at),
    values: (plot) => ticksOf(plot).map(({ label }) => label),
    grid: { show: false },
    ticks: { stroke: () => colours().grid, width: 1, size: 5 },
    border: { show: true, stroke: () => colours().grid, width: 1 },
  };
}

function valueAxis({ view, colours }: PlotSource): uPlot.Axis {
  return {
    ...{ incrs: LEVELS, gap: 6, space: 36, font: colours().font, stroke: () => colours().text },
    values: (_, splits) => splits.map((value) => view().data.figures.short(value)),
    size: (_, values) =>
      Math.max(36, 16 + CHARACTER_WIDTH * Math.max(0, ...(values ?? []).map((v) => v.length))),
    grid: { stroke: () => colours().grid, width: 1 },
    ticks: { show: false },
  };
}
