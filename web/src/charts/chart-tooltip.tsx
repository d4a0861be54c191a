import { isUtc } from "../time.ts";
import { type ChartData, sum } from "./chart-data.ts";
import { type LegendEntry, Swatch } from "./chart-legend.tsx";
import { spanText } from "./chart-times.ts";

/** So many series are named; the total holds them all. */
const MOST = 8;

type TooltipProps = {
  readonly data: ChartData;
  readonly entries: readonly LegendEntry[];
  /** Of the span. */
  readonly index: number;
  readonly zone: string;
  readonly unit: string;
  readonly room: TooltipRoom;
};

/** CSS pixels from one of the chart's edges to the span. */
export type TooltipRoom = { readonly left: number } | { readonly right: number };

const GAP = 8;

/** What the span under the pointer holds. */
export function ChartTooltip({ data, entries, index, zone, unit, room }: TooltipProps) {
  const at = data.times[index];
  const { text, addUp } = data.figures;
  if (at === undefined) return null;
  const rows = entries
    .map((entry, series) => ({ ...entry, value: data.series[series]?.values[index] ?? 0 }))
    .filter(({ isShown, value }) => isShown && value > 0)
    .sort((a, b) => b.value - a.value);
  const side =
    "left" in room ? { left: `${room.left + GAP}px` } : { right: `${room.right + GAP}px` };
  return (
    <div class="chart-tooltip" style={side} aria-hidden="true">
      <p class="chart-tooltip-time">{spanText(at, data.stepMs, zone)}</p>
      {!isUtc(zone) && <p class="chart-tooltip-utc">{spanText(at, data.stepMs, "UTC")}</p>}
      {addUp && (
        <p class="chart-tooltip-total">
          {text(sum(rows.map(({ value }) => value)))} {unit}
        </p>
      )}
      <ul>
        {rows.slice(0, MOST).map(({ name, label, look, value }) => (
          <li key={name}>
            <Swatch {...look} />
            <span class="chart-legend-name">{label}</span>
            <span class="chart-legend-total">{text(value)}</span>
          </li>
        ))}
        {rows.length > MOST && <li>and {rows.length - MOST} more</li>}
      </ul>
    </div>
  );
}
