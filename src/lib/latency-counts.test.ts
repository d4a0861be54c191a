import fc from "fast-check";
import { expect, test } from "vitest";
import {
  addLatencies,
  LATENCY_BOUNDS_MS,
  type LatencyCounts,
  latencyPlace,
  latencyQuantile,
  noLatencies,
} from "./latency-counts.ts";

const LAST = LATENCY_BOUNDS_MS.at(-1) as number;

function countsOf(times: readonly number[]): LatencyCounts {
  const counts = noLatencies();
  for (const ms of times) {
    const place = latencyPlace(ms);
    counts[place] = (counts[place] ?? 0) + 1;
  }
  return counts;
}

/** The nearest rank of the sorted times. */
function trueQuantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] as number;
}

const someTimes = fc.array(fc.double({ min: 0, max: 30_000, noNaN: true }), { minLength: 1 });
const aShare = fc.constantFrom(0.01, 0.5, 0.95, 0.99, 1);

test("a percentile lies in the same span as that of the times themselves", () => {
  fc.assert(
    fc.property(someTimes, aShare, (times, share) => {
      const told = latencyQuantile(countsOf(times), share) as number;
      const place = latencyPlace(trueQuantile(times, share));
      expect(told).toBeLessThanOrEqual(LATENCY_BOUNDS_MS[place] ?? LAST);
      expect(told).toBeGreaterThanOrEqual(LATENCY_BOUNDS_MS[Math.min(place, 21) - 1] ?? 0);
    }),
  );
});

test("percentiles rise with their share, and none is beyond the last bound", () => {
  fc.assert(
    fc.property(someTimes, (times) => {
      const counts = countsOf(times);
      const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => latencyQuantile(counts, share));
      expect(p50).toBeLessThanOrEqual(p95 as number);
      expect(p95).toBeLessThanOrEqual(p99 as number);
      expect(p99).toBeLessThanOrEqual(LAST);
    }),
  );
});

test("counts of two minutes added up are those of their calls together", () => {
  fc.assert(
    fc.property(someTimes, someTimes, (one, other) => {
      const sums = [...countsOf(one)];
      addLatencies(sums, countsOf(other));
      expect(sums).toEqual(countsOf([...one, ...other]));
    }),
  );
});

test("a time that is a bound belongs to the span that it ends, and nothing is told of no calls", () => {
  expect([0, 0.5, 0.51, 10_000, 10_001].map(latencyPlace)).toEqual([0, 0, 1, 20, 21]);
  expect(latencyQuantile(countsOf([70]), 1)).toBe(70);
  expect(latencyQuantile(countsOf([60, 60]), 0.5)).toBe(60);
  expect(latencyQuantile(noLatencies(), 0.5)).toBeUndefined();
});
