import fc from "fast-check";
import { expect, test } from "vitest";
import { RecentQuantile } from "./quantile.ts";

const BUCKET = 2 ** (1 / 8);
const setUp = (share = 0.95) => {
  const time = { now: 500 };
  return { time, quantile: new RecentQuantile({ monotonic: () => time.now }, share) };
};

type Sample = { readonly ms: number; weight: number };
/** Nearest rank, by sorting. */
function trueQuantile(samples: readonly Sample[], share: number): number {
  const sorted = [...samples].sort((a, b) => a.ms - b.ms);
  const total = sorted.reduce((sum, { weight }) => sum + weight, 0);
  let below = 0;
  for (const { ms, weight } of sorted) {
    below += weight;
    if (below >= total * share) return ms;
  }
  return Number.NaN;
}

test("below 20 samples nothing is known", () => {
  const { quantile } = setUp();
  for (let n = 0; n < 19; n += 1) quantile.record(5);
  expect(quantile.value()).toBeUndefined();
  quantile.record(5);
  expect(quantile.value()).toBeGreaterThanOrEqual(5);
  expect(quantile.value()).toBeLessThanOrEqual(5 * BUCKET);
});

test("it is within one bucket above the true quantile, whatever came in which order", () => {
  const latency = fc.oneof(
    fc.double({ min: 0.07, max: 130_000, noNaN: true }),
    fc.double({ min: 3, max: 30, noNaN: true }),
    fc.constantFrom(1, 2, 4, 1000),
  );
  fc.assert(
    fc.property(
      fc.array(latency, { minLength: 20, maxLength: 300 }),
      fc.constantFrom(0.5, 0.95, 0.99),
      (all, share) => {
        const { quantile } = setUp(share);
        const samples: Sample[] = [];
        for (const ms of all) {
          quantile.record(ms);
          samples.push({ ms, weight: 1 });
          if (samples.length < 20) continue;
          const exact = trueQuantile(samples, share);
          expect(quantile.value()).toBeGreaterThanOrEqual(exact * (1 - 1e-9));
          expect(quantile.value()).toBeLessThanOrEqual(exact * BUCKET * (1 + 1e-9));
        }
      },
    ),
  );
});

test("samples weigh half as much every 10 s, as long as enough is known", () => {
  const batch = fc.record({
    ms: fc.array(fc.double({ min: 0.1, max: 9000, noNaN: true }), { minLength: 40, maxLength: 80 }),
    halvings: fc.nat({ max: 3 }),
  });
  fc.assert(
    fc.property(fc.array(batch, { minLength: 1, maxLength: 5 }), (batches) => {
      const { time, quantile } = setUp();
      const samples: Sample[] = [];
      for (const { ms, halvings } of batches) {
        time.now += halvings * 10_000;
        for (let n = 0; n < halvings; n += 1) {
          const total = samples.reduce((sum, { weight }) => sum + weight, 0);
          if (total >= 40) for (const sample of samples) sample.weight /= 2;
        }
        for (const each of ms) {
          quantile.record(each);
          samples.push({ ms: each, weight: 1 });
        }
        // At the edge between two samples the sums may differ in their last digit.
        const low = trueQuantile(samples, 0.95 - 1e-9) * (1 - 1e-9);
        const high = trueQuantile(samples, 0.95 + 1e-9) * BUCKET * (1 + 1e-9);
        expect(quantile.value()).toBeGreaterThanOrEqual(low);
        expect(quantile.value()).toBeLessThanOrEqual(high);
      }
    }),
  );
});

test("after a change of the network's pace the old one is forgotten within 90 s", () => {
  const { time, quantile } = setUp();
  for (let n = 0; n < 1000; n += 1) quantile.record(2000);
  for (let n = 0; n < 900; n += 1) {
    time.now += 100;
    quantile.record(10);
  }
  expect(quantile.value()).toBeLessThan(11);
});

test("a network that rests for an hour still knows what its last calls took", () => {
  const { time, quantile } = setUp();
  for (let n = 0; n < 1000; n += 1) quantile.record(50);
  time.now += 3_600_000;
  quantile.record(50);
  expect(quantile.value()).toBeLessThan(55);
});

test.each([0, -1, 1e-9, 1e9])("a latency of %d ms is counted at the nearest end", (ms) => {
  const { quantile } = setUp();
  for (let n = 0; n < 20; n += 1) quantile.record(ms);
  expect(quantile.value()).toBe(ms > 1 ? 131_072 : 0.0625);
});
