import "./valid-language.ts";
import "uplot/dist/uPlot.min.css";
import "./charts.css";
import { useId, useMemo, useRef, useState } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { type ChartData, describe, OTHER, wholeOf } from "./chart-data.ts";
import { ChartLegend, type LegendEntry } from "./chart-legend.tsx";
import { ChartTable } from "./chart-table.tsx";
import { ChartTooltip, type TooltipRoom } from "./chart-tooltip.tsx";
import type { Theme } from "./palette.ts";
import { type ChartKind, viewOf } from "./plot-view.ts";
import { looksOf, type SeriesKind } from "./series-looks.ts";
import { usePlot } from "./use-plot.ts";
import { useShownTheme } from "./use-theme.ts";

const HEIGHT = 280;

export type ChartProps = {
  /** What is shown: `Calls by method`. */
  readonly label: string;
  /** What is counted, in the plural. */
  readonly unit: string;
  readonly data: ChartData;
  readonly kind: ChartKind;
  /** What its series are. */
  readonly of: SeriesKind;
  /** IANA name of the zone that the axis and the table are written in. */
  readonly zone: string;
  /** What people read in place of a series' name. */
  readonly nameOf?: (series: string) => string;
};

/** Numbers over time: a plot, its legend of switches, and the same numbers as a table. */
export function Chart({ label, unit, data, kind, of, zone, nameOf = own }: ChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const id = useId();
  const theme = useShownTheme();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [hover, setHover] = useState<number>();
  const [isTable, setIsTable] = useState(false);
  const entries = useEntries({ data, of, hidden, theme, nameOf });
  const view = useMemo(
    () =>
      viewOf(
        data,
        kind,
        entries.map(({ isShown }) => isShown),
      ),
    [data, kind, entries],
  );
  usePlot(host, {
    ...{ view, zone, theme, height: HEIGHT },
    looks: entries.map(({ look }) => look),
    onHover: setHover,
  });
  const toggle = (name: string) => setHidden((before) => toggled(before, name));
  return (
    <div class="chart">
      <div class="chart-plane">
        <div ref={host} role="img" aria-label={`${label}. ${describe(data, unit)}`} />
        {hover !== undefined && (
          <ChartTooltip
            {...{ data, entries, zone, unit, index: hover }}
            room={roomBeside(host.current, hover, data.times.length)}
          />
        )}
      </div>
      <ChartLegend
        figures={data.figures}
        entries={entries}
        onToggle={toggle}
        onShowAll={() => setHidden(new Set())}
      />
      <Button
        size="small"
        kind="quiet"
        expanded={isTable}
        controls={id}
        onClick={() => setIsTable(!isTable)}
      >
        {isTable ? "Hide table" : "Show as table"}
      </Button>
      <div id={id} class="chart-table">
        {isTable && <ChartTable caption={`${label}: ${unit}`} {...{ data, zone, nameOf }} />}
      </div>
    </div>
  );
}

/** Beside the span that is pointed at, on the side where there is more room: nothing of it is covered. */
function roomBeside(host: HTMLElement | null, index: number, spans: number): TooltipRoom {
  const plane = host?.querySelector<HTMLElement>(".u-over");
  const width = host?.clientWidth ?? 0;
  const start = plane?.offsetLeft ?? 0;
  const step = (plane?.clientWidth ?? 0) / Math.max(1, spans);
  const [from, to] = [start + index * step, start + (index + 1) * step];
  return from > width - to ? { right: width - from } : { left: to };
}

const own = (name: string): string => name;

function toggled(before: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const after = new Set(before);
  if (!after.delete(name)) after.add(name);
  return after;
}

type EntriesInput = Pick<ChartProps, "data" | "of"> & {
  readonly hidden: ReadonlySet<string>;
  readonly theme: Theme;
  readonly nameOf: (series: string) => string;
};

/** The series as the legend and the tooltip show them. */
function useEntries(input: EntriesInput): readonly LegendEntry[] {
  const { data, of, hidden, theme, nameOf } = input;
  return useMemo(() => {
    const names = data.series.map(({ name }) => name);
    const looks = looksOf(theme, names, of);
    return data.series.map((series) => ({
      name: series.name,
      label: series.name === OTHER ? "all others" : nameOf(series.name),
      look: looks.get(series.name) ?? { colour: "gray", hatched: false },
      whole: wholeOf(series),
      isShown: !hidden.has(series.name),
    }));
  }, [data, of, hidden, theme, nameOf]);
}
