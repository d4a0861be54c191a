import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Attempts } from "./attempts.ts";

const QUARTER_HOUR_MS = 900_000;

test("five attempts are free, then each waits twice as long, up to a quarter of an hour", () => {
  let nowMs = 0;
  const attempts = new Attempts(new DatabaseSync(":memory:"), { now: () => nowMs });
  const waits: number[] = [];
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const waitMs = attempts.begin("ada");
    waits.push(waitMs);
    nowMs += waitMs;
    if (waitMs > 0) expect(attempts.begin("ada")).toBe(0);
  }
  expect(waits.slice(0, 10)).toEqual([0, 0, 0, 0, 0, 1000, 2000, 4000, 8000, 16_000]);
  expect(waits.at(-1)).toBe(QUARTER_HOUR_MS);
  expect(attempts.begin("bob")).toBe(0);
});

test("whenever attempts come, an hour lets 18 of them through at most", () => {
  const pauses = fc.array(fc.integer({ min: 0, max: 60_000 }), { maxLength: 300 });
  fc.assert(
    fc.property(pauses, (all) => {
      let nowMs = 0;
      const attempts = new Attempts(new DatabaseSync(":memory:"), { now: () => nowMs });
      let passed = 0;
      for (const pauseMs of all) {
        nowMs += pauseMs;
        if (nowMs > 3_600_000) break;
        if (attempts.begin("ada") === 0) passed += 1;
      }
      expect(passed).toBeLessThanOrEqual(18);
    }),
    { numRuns: 30 },
  );
});

test("what was right, or is a day old, is forgotten", () => {
  let nowMs = 0;
  const attempts = new Attempts(new DatabaseSync(":memory:"), { now: () => nowMs });
  const five = () => Array.from({ length: 5 }, () => attempts.begin("ada"));
  five();
  attempts.forget("ada");
  expect(five()).toEqual([0, 0, 0, 0, 0]);
  expect(attempts.begin("ada")).toBeGreaterThan(0);
  nowMs += 86_400_000;
  expect(five()).toEqual([0, 0, 0, 0, 0]);
});
