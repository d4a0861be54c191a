/**
 * How many calls took how long: a count for each span of LATENCY_BOUNDS_MS, and one for what was longer. Counts of
 * many minutes, keys or processes are added place by place, and percentiles are made of the sums.
 */

/**
 * The upper ends of the spans, milliseconds. Each is a column of the database (rows/usage.ts): another bound is
 * another migration.
 */
export const LATENCY_BOUNDS_MS: readonly number[] = Object.freeze([
  ...[0.5, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500],
  ...[1_000, 2_000, 5_000, 10_000],
]);

/** One longer than LATENCY_BOUNDS_MS. */
export type LatencyCounts = readonly number[];

const NONE: LatencyCounts = [...LATENCY_BOUNDS_MS.map(() => 0), 0];

/** Counts of no calls, to be added to. */
export const noLatencies = (): number[] => NONE.slice();

/** Searched for each call: a walk along the list above costs up to 150 ns, this 5. */
const ENDS_MS = Float64Array.of(...LATENCY_BOUNDS_MS);

/** The place of a call that took so long. */
export function latencyPlace(ms: number): number {
  let low = 0;
  let high = ENDS_MS.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ms <= (ENDS_MS[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Adds `more` to `sums`, in place. */
export function addLatencies(sums: number[], more: LatencyCounts): void {
  for (let place = 0; place < sums.length; place += 1) {
    sums[place] = (sums[place] ?? 0) + (more[place] ?? 0);
  }
}

/**
 * The time that `share` (0 to 1) of the calls did not take longer than, milliseconds. It lies in the right span;
 * within the span the calls are taken to be spread evenly. Beyond the last bound it is that bound. Undefined
 * without calls.
 */
export function latencyQuantile(counts: LatencyCounts, share: number): number | undefined {
  const wanted = share * counts.reduce((sum, count) => sum + count, 0);
  let below = 0;
  let lower = 0;
  for (const [place, count] of counts.entries()) {
    const upper = LATENCY_BOUNDS_MS[place] ?? lower;
    if (count > 0 && below + count >= wanted) {
      return lower + (upper - lower) * ((wanted - below) / count);
    }
    below += count;
    lower = upper;
  }
  return undefined;
}
