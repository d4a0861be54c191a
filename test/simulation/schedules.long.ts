import { expect, test } from "vitest";
import { runSchedules } from "./run-schedules.ts";

const FIRST = 1_000_000;
const SCHEDULES = 200_000;

test("over many more schedules: answers are right, in time, and nodes are used again", async () => {
  const { calls } = await runSchedules(FIRST, SCHEDULES);
  expect(calls).toBeGreaterThan(SCHEDULES * 50);
});
