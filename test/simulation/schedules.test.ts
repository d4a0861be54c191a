import { expect, test } from "vitest";
import { runSchedules } from "./run-schedules.ts";

const SCHEDULES = 1_000;
const { env }: { readonly env?: Readonly<Record<string, string>> } = import.meta as object;
/** SEED=… runs that one alone, and prints what happened in it when it fails. */
const SEED = env?.["SEED"];

test("whatever nodes do, answers are right, in time and told once, and nodes are used again", {
  timeout: 600_000,
}, async () => {
  if (SEED !== undefined) {
    await runSchedules(Number(SEED), 1);
    return;
  }
  const { calls, errors, faults } = await runSchedules(1, SCHEDULES);
  // That something was tried at all.
  expect(calls).toBeGreaterThan(SCHEDULES * 50);
  expect(faults).toBeGreaterThan(SCHEDULES * 2);
  expect(errors).toBeLessThan(calls / 5);
});
