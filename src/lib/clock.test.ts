import { expect, test } from "vitest";
import { MomentClock } from "./clock.ts";

const clock = new MomentClock();

/** Until the system's own clock has moved. */
const aWhile = () => {
  const untilMs = performance.now() + 3;
  while (performance.now() < untilMs);
};
const times = () => [clock.now(), clock.monotonic()];

test("what happens at one moment sees one time, which is no older than its beginning", () => {
  const before = clock.monotonic();
  aWhile();
  const seen: number[][] = [];
  const looks = (count: number) => {
    for (let look = 0; look < count; look += 1) {
      seen.push(times());
      aWhile();
    }
  };
  clock.atOneMoment(looks, 3);
  expect(seen).toEqual([seen[0], seen[0], seen[0]]);
  expect(seen[0]?.[1]).toBeGreaterThanOrEqual(before + 3);
  clock.atOneMoment(looks, 1);
  expect(seen[3]?.[1]).toBeGreaterThan(seen[0]?.[1] ?? Number.NaN);
});

test("a moment's Unix time is the system's, at most a millisecond behind", () => {
  for (let look = 0; look < 100; look += 1) {
    const before = Date.now();
    let seen = Number.NaN;
    clock.atOneMoment(() => {
      seen = clock.now();
    });
    expect(Number.isInteger(seen)).toBe(true);
    expect(seen).toBeGreaterThanOrEqual(before - 1);
    expect(seen).toBeLessThanOrEqual(Date.now());
    aWhile();
  }
});

test("time moves again afterwards, also where that threw", () => {
  const fail = () => {
    throw new Error(String(times()));
  };
  expect(() => clock.atOneMoment(fail)).toThrow();
  const [now = 0, monotonic = 0] = times();
  aWhile();
  expect(clock.now()).toBeGreaterThan(now);
  expect(clock.monotonic()).toBeGreaterThan(monotonic);
});
