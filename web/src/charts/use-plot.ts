import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { tokenColor } from "../theme.ts";
import { fillOf } from "./hatching.ts";
import type { SeriesLook, Theme } from "./palette.ts";
import { type PlotColours, type PlotSource, plotOptions } from "./plot-options.ts";
import { columnsOf, type PlotView } from "./plot-view.ts";

export type PlotInput = {
  readonly view: PlotView;
  readonly looks: readonly SeriesLook[];
  readonly zone: string;
  readonly theme: Theme;
  readonly height: number;
  readonly onHover: PlotSource["onHover"];
};

/**
 * A plot inside the element. It is made anew where its series or kind are others; new numbers,
 * colours and zones are put into the one that is there, so that the pointer stays where it is.
 */
export function usePlot(host: { readonly current: HTMLDivElement | null }, input: PlotInput): void {
  const { view, theme, zone, height } = input;
  const plot = useRef<uPlot>(undefined);
  const latest = useRef(input);
  const ink = useRef<Ink>(undefined);
  latest.current = input;
  const made = `${view.kind} ${view.data.series.map(({ name }) => name).join("\n")}`;
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    ink.current = inkOf(input);
    const source = sourceOf(latest, ink);
    const options = plotOptions(source, { width: Math.max(element.clientWidth, 1), height });
    const drawn = new uPlot(options, columnsOf(latest.current.view), element);
    plot.current = drawn;
    const watcher = new ResizeObserver(() => {
      if (element.clientWidth > 0) drawn.setSize({ width: element.clientWidth, height });
    });
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      drawn.destroy();
      plot.current = undefined;
    };
  }, [made, height]);
  useEffect(() => {
    const drawn = plot.current;
    if (drawn === undefined) return;
    ink.current = inkOf(input);
    drawn.batch(() => {
      for (const [index, isShown] of view.shown.entries()) {
        if (drawn.series[index + 1]?.show !== isShown)
          drawn.setSeries(index + 1, { show: isShown });
      }
      drawn.setData(columnsOf(view));
    });
  }, [view, theme, zone]);
}

type Ink = {
  readonly colours: PlotColours;
  readonly fills: readonly (string | CanvasPattern)[];
};

/** Colours are looked up once for each drawing: asking for one makes the browser compute styles. */
function inkOf({ looks }: PlotInput): Ink {
  const background = tokenColor("--surface");
  const font = `12px ${getComputedStyle(document.body).fontFamily}`;
  return {
    colours: { text: tokenColor("--text-muted"), grid: tokenColor("--border"), font },
    fills: looks.map((look) => fillOf(look, background)),
  };
}

function sourceOf(
  latest: { readonly current: PlotInput },
  ink: { readonly current: Ink | undefined },
): PlotSource {
  return {
    view: () => latest.current.view,
    zone: () => latest.current.zone,
    colours: () => ink.current?.colours ?? { text: "gray", grid: "gray", font: "12px sans-serif" },
    fill: (series) => ink.current?.fills[series] ?? "gray",
    line: (series) => {
      const look = latest.current.looks[series];
      return { colour: look?.colour ?? "gray", dashed: look?.hatched ?? false };
    },
    onHover: (index) => latest.current.onHover(index),
  };
}
