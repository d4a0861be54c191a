/** One line or one layer of bars. */
export type ChartSeries = {
  readonly name: string;
  /** One for each time. */
  readonly values: readonly number[];
};

/** What a chart shows. Times are the beginnings of spans of `stepMs`, Unix milliseconds, rising. */
export type ChartData = {
  readonly from: number;
  readonly to: number;
  readonly stepMs: number;
  readonly times: readonly number[];
  readonly series: readonly ChartSeries[];
};

/** The series that holds what the others do not; it is drawn last and in grey. */
export const OTHER = "other";

/** The plane's limits: whole spans, so that the first and the last are not cut. */
export function timeLimits({ from, to, stepMs, times }: ChartData): readonly [number, number] {
  const first = times[0] ?? from;
  const last = times.at(-1);
  return [Math.min(from, first), last === undefined ? to : Math.max(to, last + stepMs)];
}

export function sum(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** The values of all series at each time, together. */
export function totals({ times, series }: ChartData): readonly number[] {
  return times.map((_, at) => sum(series.map(({ values }) => values[at] ?? 0)));
}

/**
 * A place in the palette for each name. A name keeps the place that it had, so that colours do not
 * change when live numbers change the order; places of names that are gone are given again.
 */
export function assignPlaces(
  before: ReadonlyMap<string, number>,
  names: readonly string[],
): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const name of names) {
    const place = before.get(name);
    if (place !== undefined) places.set(name, place);
  }
  const taken = new Set(places.values());
  let free = 0;
  for (const name of names) {
    if (places.has(name) || name === OTHER) continue;
    while (taken.has(free)) free += 1;
    taken.add(free);
    places.set(name, free);
  }
  return places;
}

/** The chart in a sentence, for those who do not see it. */
export function describe(data: ChartData, unit: string, format: (value: number) => string): string {
  const all = totals(data);
  if (sum(all) === 0) return `No ${unit} in this time.`;
  const parts = data.series
    .map(({ name, values }) => ({ name, total: sum(values) }))
    .filter(({ total }) => total > 0)
    .sort((a, b) => b.total - a.total)
    .map(({ name, total }) => `${name} ${format(total)}`);
  return `${format(sum(all))} ${unit} in all: ${parts.join(", ")}. The table shows each value.`;
}
