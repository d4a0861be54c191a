import { expect, test } from "vitest";
import { RestartPause } from "./restart-pause.ts";

test("one that ended is replaced at once, whatever it had served", () => {
  expect(new RestartPause().after(0)).toBe(0);
  expect(new RestartPause().after(3_600_000)).toBe(0);
});

test("where they end soon after they began, each pause is twice the last, up to 30 s", () => {
  const pause = new RestartPause();
  const pauses = Array.from({ length: 11 }, () => pause.after(100));
  expect(pauses).toEqual([0, 250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
});

test("one that served for long begins the pauses anew", () => {
  const pause = new RestartPause();
  for (let ended = 0; ended < 5; ended += 1) pause.after(100);
  expect(pause.after(10_000)).toBe(0);
  expect(pause.after(100)).toBe(250);
});

test("no pause is longer than the longest that was given", () => {
  const pause = new RestartPause(400);
  expect(Array.from({ length: 5 }, () => pause.after(0))).toEqual([0, 250, 400, 400, 400]);
});
