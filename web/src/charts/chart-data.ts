import { capitalised, formatMs, formatNumber, formatShort } from "../format.ts";

/** How a chart's numbers are written, and whether those of several series or times add up to anything. */
export type Figures = {
  readonly text: (value: number) => string;
  /** For small places. */
  readonly short: (value: number) => string;
  readonly addUp: boolean;
};

export const COUNTS: Figures = { text: formatNumber, short: formatShort, addUp: true };
/** Milliseconds. */
export const TIMES: Figures = {
  text: formatMs,
  short: (ms) => (ms === 0 ? "0" : formatMs(ms)),
  addUp: false,
};

/** One line or one layer of bars. */
export type ChartSeries = {
  readonly name: string;
  /** One for each time; null where there is none. */
  readonly values: readonly (number | null)[];
  /** Of all times together, where that is not their sum. */
  readonly whole?: number | null;
};

/** What a chart shows. Times are the beginnings of spans of `stepMs`, Unix milliseconds, rising. */
export type ChartData = {
  readonly from: number;
  readonly to: number;
  readonly stepMs: number;
  readonly times: readonly number[];
  readonly series: readonly ChartSeries[];
  readonly figures: Figures;
};

/** The series that holds what the others do not; it is drawn last and in grey. */
export const OTHER = "other";

/** The plane's limits: whole spans, so that the first and the last are not cut. */
export function timeLimits({ from, to, stepMs, times }: ChartData): readonly [number, number] {
  const first = times[0] ?? from;
  const last = times.at(-1);
  return [Math.min(from, first), last === undefined ? to : Math.max(to, last + stepMs)];
}

export function sum(values: readonly (number | null)[]): number {
  let total = 0;
  for (const value of values) total += value ?? 0;
  return total;
}

/** What a series is as a whole; null: it has nothing. */
export function wholeOf({ values, whole = sum(values) }: ChartSeries): number | null {
  return whole;
}

/** The values of all series at each time, together. */
export function totals({ times, series }: ChartData): readonly number[] {
  return times.map((_, at) => sum(series.map(({ values }) => values[at] ?? 0)));
}

/** The chart in a sentence, for those who do not see it. */
export function describe(data: ChartData, unit: string): string {
  const { text, addUp } = data.figures;
  const parts = data.series
    .map((series) => ({ name: series.name, whole: wholeOf(series) ?? 0 }))
    .filter(({ whole }) => whole > 0);
  if (parts.length === 0) return `No ${unit} in this period.`;
  if (addUp) parts.sort((a, b) => b.whole - a.whole);
  const inAll = addUp ? `${text(sum(parts.map(({ whole }) => whole)))} ${unit}` : capitalised(unit);
  const list = parts.map(({ name, whole }) => `${name} ${text(whole)}`).join(", ");
  return `${inAll} in all: ${list}. The table shows each value.`;
}
