import { afterEach, describe, expect, test } from "vitest";
import { KINDS, kindAt } from "./soak-mix.ts";
import { findingsOf, type Interval, intervalLine } from "./soak-report.ts";

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const CHARGES = { ledger: 105, served: 105, before: 5, answered: 90, left: 20 };

function interval(atSeconds: number, own: { usedBytes?: number; p99Ms?: number } = {}): Interval {
  return {
    atSeconds,
    perSecond: 5000,
    latency: { p50Ms: 0.4, p99Ms: own.p99Ms ?? 2, maxMs: 9 },
    heap: { usedBytes: own.usedBytes ?? 40_000_000, externalBytes: 0 },
    residentBytes: 200_000_000,
    delay: { p50Ms: 1, p99Ms: 2, maxMs: 3 },
    cpuShare: 0.8,
    faults: 0,
    unanswered: 3,
  };
}

function missed(
  intervals: readonly Interval[],
  own: Partial<Parameters<typeof findingsOf>[1]> = {},
): string[] {
  const outcome = { charges: CHARGES, firstFault: null, rate: 5000, ...own };
  return findingsOf(intervals, outcome).flatMap(({ text, isMet }) =>
    isMet ? [] : [text.split(/[ :]/)[0] ?? ""],
  );
}

describe("a soak's findings", () => {
  const hour = Array.from({ length: 360 }, (_, n) => (n + 1) * 10);

  test("what grows while caches fill is no leak, and what grows afterwards is one", () => {
    const filling = hour.map((at) =>
      interval(at, { usedBytes: at <= 300 ? at * 100_000 : 40_000_000 }),
    );
    expect(missed(filling)).toEqual([]);
    const leaking = hour.map((at) => interval(at, { usedBytes: 40_000_000 + at * 1000 }));
    expect(missed(leaking)).toEqual(["heap"]);
  });

  test("one slow interval is noise, a p99 that rises is not", () => {
    expect(missed(hour.map((at) => interval(at, { p99Ms: at === 2000 ? 90 : 2 })))).toEqual([]);
    expect(missed(hour.map((at) => interval(at, { p99Ms: 2 + at / 1000 })))).toEqual(["p99"]);
  });

  test("a fault, a credit too much or too few, and requests that pile up are told", () => {
    const intervals = [interval(10), interval(20), interval(30)];
    expect(missed(intervals)).toEqual([]);
    const failed = [...intervals, { ...interval(40), faults: 1 }];
    expect(missed(failed, { firstFault: "local: no" })).toEqual(["faults"]);
    for (const wrong of [{ ledger: 104 }, { answered: 101 }, { answered: 79 }]) {
      expect(missed(intervals, { charges: { ...CHARGES, ...wrong } })).toEqual(["credits"]);
    }
    expect(missed([...intervals, { ...interval(40), unanswered: 5001 }])).toEqual(["unanswered"]);
  });

  test("an interval is one line", () => {
    expect(intervalLine(interval(10))).toBe(
      "   10 s    5000/s  p50 0.40 p99 2.00 max 9 ms  heap 40.0 MB + 0.0 MB external, resident 200.0 MB  loop delay p50 1.00 p99 2.00 max 3 ms  CPU 80 %  0 faults, 3 unanswered\n",
    );
  });
});

test("every kind comes about as often as its weight says", () => {
  const counts = new Map<string, number>();
  for (let n = 0; n < 10_000; n += 1) {
    const { name } = kindAt(n / 10_000);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const total = KINDS.reduce((sum, { weight }) => sum + weight, 0);
  for (const { name, weight } of KINDS) {
    expect(Math.abs((counts.get(name) ?? 0) - (weight / total) * 10_000)).toBeLessThan(2);
  }
});
