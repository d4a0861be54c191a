import "./valid-language.ts";
import "uplot/dist/uPlot.min.css";
import "./charts.css";
import { useId, useMemo, useRef, useState } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { assignPlaces, type ChartData, describe, OTHER, wholeOf } from "./chart-data.ts";
import { ChartLegend, type LegendEntry } from "./chart-legend.tsx";
import { ChartTable } from "./chart-table.tsx";
import { ChartTooltip } from "./chart-tooltip.tsx";
import { lookOf, type Theme } from "./palette.ts";
import { type ChartKind, viewOf } from "./plot-view.ts";
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
  /** IANA name of the zone that the axis and the table are written in. */
  readonly zone: string;
  /** What people read in place of a series' name. */
  readonly nameOf?: (series: string) => string;
};

/** Numbers over time: a plot, its legend of switches, and the same numbers as a table. */
export function Chart({ label, unit, data, kind, zone, nameOf = (name) => name }: ChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const id = useId();
  const theme = useShownTheme();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [hover, setHover] = useState<{ readonly index: number; readonly left: number }>();
  const [isTable, setIsTable] = useState(false);
  const entries = useEntries({ data, hidden, theme, nameOf });
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
    onHover: (index, left) => setHover(index === undefined ? undefined : { index, left }),
  });
  const toggle = (name: string) => setHidden((before) => toggled(before, name));
  const plane = host.current?.querySelector<HTMLElement>(".u-over");
  return (
    <div class="chart">
      <div class="chart-plane">
        <div ref={host} role="img" aria-label={`${label}. ${describe(data, unit)}`} />
        {hover && (
          <ChartTooltip
            {...{ data, entries, zone, unit, index: hover.index }}
            left={hover.left + (plane?.offsetLeft ?? 0)}
            width={host.current?.clientWidth ?? 0}
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
        {isTable ? "Hide the table" : "Show as table"}
      </Button>
      <div id={id} class="chart-table">
        {isTable && <ChartTable caption={`${label}: ${unit}`} {...{ data, zone, nameOf }} />}
      </div>
    </div>
  );
}

function toggled(before: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const after = new Set(before);
  if (!after.delete(name)) after.add(name);
  return after;
}

type EntriesInput = {
  readonly data: ChartData;
  readonly hidden: ReadonlySet<string>;
  readonly theme: Theme;
  readonly nameOf: (series: string) => string;
};

/** The series as the legend and the tooltip show them. */
function useEntries({ data, hidden, theme, nameOf }: EntriesInput): readonly LegendEntry[] {
  const places = useRef<ReadonlyMap<string, number>>(new Map());
  return useMemo(() => {
    const names = data.series.map(({ name }) => name);
    places.current = assignPlaces(places.current, names);
    return data.series.map((series) => ({
      name: series.name,
      label: series.name === OTHER ? "all others" : nameOf(series.name),
      look: lookOf(theme, places.current.get(series.name)),
      whole: wholeOf(series),
      isShown: !hidden.has(series.name),
    }));
  }, [data, hidden, theme, nameOf]);
}
