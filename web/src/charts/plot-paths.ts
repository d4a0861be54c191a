import type uPlot from "uplot";
import type { PlotView } from "./plot-view.ts";

/** Bars as wide as this (canvas pixels) stand apart; narrower ones touch, so that none blurs. */
const APART_FROM = 5;

/** One layer of stacked bars: each span from its beginning to its end, from base to top. */
export function barPaths(read: () => PlotView): uPlot.Series.PathBuilder {
  return (plot, seriesIndex) => {
    const { data, stacked } = read();
    const layer = stacked[seriesIndex - 1];
    if (layer === undefined) return null;
    const fill = new Path2D();
    for (const [index, at] of data.times.entries()) {
      const base = layer.bases[index] ?? 0;
      const top = layer.tops[index] ?? 0;
      if (top <= base) continue;
      const left = Math.round(plot.valToPos(at, "x", true));
      const right = Math.round(plot.valToPos(at + data.stepMs, "x", true));
      const upper = Math.round(plot.valToPos(top, "y", true));
      const lower = Math.round(plot.valToPos(base, "y", true));
      const gap = right - left >= APART_FROM ? 1 : 0;
      // What is there is seen: a value too small for its height has one pixel.
      const height = Math.max(lower - upper, 1);
      fill.rect(left, lower - height, Math.max(right - left - gap, 1), height);
    }
    return { fill, stroke: null, clip: null, flags: 0 };
  };
}
