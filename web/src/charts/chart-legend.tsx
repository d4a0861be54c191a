import type { Figures } from "./chart-data.ts";
import type { SeriesLook } from "./palette.ts";

/** A series' colour, with the same stripes as in the plot. */
export function Swatch({ colour, hatched }: SeriesLook) {
  return (
    <svg class="chart-swatch" viewBox="0 0 12 12" aria-hidden="true">
      <rect width="12" height="12" rx="3" fill={colour} />
      {hatched && <path d="M-2 8 8 -2M2 14 14 2" class="chart-stripe" />}
    </svg>
  );
}

export type LegendEntry = {
  readonly name: string;
  /** What people read in place of the name. */
  readonly label: string;
  readonly look: SeriesLook;
  /** Of all times together; null: nothing. */
  readonly whole: number | null;
  readonly isShown: boolean;
};

type LegendProps = {
  readonly figures: Figures;
  readonly entries: readonly LegendEntry[];
  readonly onToggle: (name: string) => void;
  readonly onShowAll: () => void;
};

/** The series, each a switch. */
export function ChartLegend({ figures, entries, onToggle, onShowAll }: LegendProps) {
  return (
    <ul class="chart-legend" aria-label="Series: select to hide or show">
      {entries.map(({ name, label, look, whole, isShown }) => (
        <li key={name}>
          <button type="button" aria-pressed={isShown} onClick={() => onToggle(name)}>
            <Swatch {...look} />
            <span class="chart-legend-name">{label}</span>
            <span class="chart-legend-total">{whole === null ? "–" : figures.short(whole)}</span>
          </button>
        </li>
      ))}
      {entries.some(({ isShown }) => !isShown) && (
        <li>
          <button type="button" class="chart-legend-all" onClick={onShowAll}>
            Show all
          </button>
        </li>
      )}
    </ul>
  );
}
