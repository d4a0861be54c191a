import fc from "fast-check";
import { expect, test } from "vitest";
import { Attempts } from "./attempts.ts";
import { openAuthFile } from "./sqlite-tables.ts";

const QUARTER_HOUR_MS = 900_000;

const inMemory = (now: () => number) => new Attempts(openAuthFile(undefined).attempts, { now });

test("five attempts are free, then each waits twice as long, up to a quarter of an hour", async () => {
  let nowMs = 0;
  const attempts = inMemory(() => nowMs);
  const waits: number[] = [];
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const waitMs = await attempts.begin("ada");
    waits.push(waitMs);
    nowMs += waitMs;
    if (waitMs > 0) expect(await attempts.begin("ada")).toBe(0);
  }
  expect(waits.slice(0, 10)).toEqual([0, 0, 0, 0, 0, 1000, 2000, 4000, 8000, 16_000]);
  expect(waits.at(-1)).toBe(QUARTER_HOUR_MS);
  expect(await attempts.begin("bob")).toBe(0);
});

test("whenever attempts come, an hour lets 18 of them through at most", async () => {
  const pauses = fc.array(fc.integer({ min: 0, max: 60_000 }), { maxLength: 300 });
  await fc.assert(
    fc.asyncProperty(pauses, async (all) => {
      let nowMs = 0;
      const attempts = inMemory(() => nowMs);
      let passed = 0;
      for (const pauseMs of all) {
        nowMs += pauseMs;
        if (nowMs > 3_600_000) break;
        if ((await attempts.begin("ada")) === 0) passed += 1;
      }
      expect(passed).toBeLessThanOrEqual(18);
    }),
    { numRuns: 30 },
  );
});

test("what was right, or is a day old, is forgotten", async () => {
  let nowMs = 0;
  const attempts = inMemory(() => nowMs);
  const five = () => Promise.all(Array.from({ length: 5 }, () => attempts.begin("ada")));
  await five();
  await attempts.forget("ada");
  expect(await five()).toEqual([0, 0, 0, 0, 0]);
  expect(await attempts.begin("ada")).toBeGreaterThan(0);
  nowMs += 86_400_000;
  expect(await five()).toEqual([0, 0, 0, 0, 0]);
});
