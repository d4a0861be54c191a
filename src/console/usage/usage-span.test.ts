import fc from "fast-check";
import { expect, test } from "vitest";
import { RANGES } from "../contract/constants.ts";
import { askedSpan, spanOf } from "./usage-span.ts";

const DAY_MS = 86_400_000;
const FOREVER = { minutes: 1000 * DAY_MS, hours: 1000 * DAY_MS, days: 1000 * DAY_MS };
const LENGTH_MS = {
  "15m": 900_000,
  "1h": 3_600_000,
  "24h": DAY_MS,
  "7d": 7 * DAY_MS,
  "30d": 30 * DAY_MS,
};

test("a range is whole steps of UTC, and the one that now belongs to is the last", () => {
  const now = fc.integer({ min: 4e9, max: 4e12 });
  fc.assert(
    fc.property(now, fc.constantFrom(...RANGES), (at, range) => {
      const { from, to, stepMs } = spanOf(range, at, FOREVER);
      expect([from % stepMs, to % stepMs]).toEqual([0, 0]);
      expect(to - from).toBe(LENGTH_MS[range]);
      expect(to).toBeGreaterThan(at);
      expect(to - stepMs).toBeLessThanOrEqual(at);
    }),
  );
});

test("a span of two times covers both, in at most 1,100 whole steps of what is kept so long", () => {
  const now = Date.UTC(2026, 10, 21, 12, 34, 56);
  const kept = { minutes: 2 * DAY_MS, hours: 90 * DAY_MS, days: 730 * DAY_MS };
  const ago = fc.integer({ min: 1, max: 1000 * DAY_MS });
  fc.assert(
    fc.property(ago, ago, (one, other) => {
      fc.pre(one !== other);
      const [fromMs, toMs] = [now - Math.max(one, other), now - Math.min(one, other)];
      const asked = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
      const { from, to, stepMs, resolution } = askedSpan(asked, "1h", { now, kept });
      expect([from % stepMs, to % stepMs]).toEqual([0, 0]);
      expect(from).toBeLessThanOrEqual(fromMs);
      expect(to).toBeGreaterThanOrEqual(toMs);
      expect(fromMs - from).toBeLessThan(stepMs);
      expect(to - toMs).toBeLessThan(stepMs);
      expect((to - from) / stepMs).toBeLessThanOrEqual(1100);
      const isKept = now - fromMs <= kept[`${resolution}s`];
      expect(isKept || resolution === "day").toBe(true);
    }),
  );
});

test.each([
  ["1h", { minutes: 3_600_000 }, "minute"],
  ["24h", { minutes: 3_600_000 }, "hour"],
  ["15m", { minutes: 60_000 }, "hour"],
  ["7d", { hours: 3 * DAY_MS }, "day"],
  ["24h", { minutes: 0, hours: 0 }, "day"],
] as const)(
  "%s with %j kept is made of what is kept for as long: %s",
  (range, kept, resolution) => {
    expect(spanOf(range, 4e11, { ...FOREVER, ...kept }).resolution).toBe(resolution);
  },
);
