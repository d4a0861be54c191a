/** Where each value of a series lies when the series are put on one another. */
export type StackedSeries = {
  /** Lower ends. */
  readonly bases: readonly number[];
  /** Upper ends: base and value. */
  readonly tops: readonly number[];
};

/**
 * Puts series on one another, the first at the bottom. A series that is not shown takes no room:
 * its tops are its bases.
 * @param series of equal lengths; a value that is missing counts as 0
 */
export function stackSeries(
  series: readonly (readonly (number | null)[])[],
  shown: readonly boolean[],
): readonly StackedSeries[] {
  const length = Math.max(0, ...series.map((values) => values.length));
  let bases: readonly number[] = new Array<number>(length).fill(0);
  return series.map((values, index) => {
    const isShown = shown[index] ?? true;
    const below = bases;
    bases = isShown ? below.map((base, at) => base + (values[at] ?? 0)) : below;
    return { bases: below, tops: bases };
  });
}
