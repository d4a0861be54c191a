import { expect, test } from "vitest";
import { runApart } from "../support/run-apart.ts";
import { runSchedules } from "./run-schedules.ts";
import type { Tally } from "./schedule.ts";

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
  const { calls, errors, faults } = await runApart<Tally>(
    "test/simulation/schedules-part.ts",
    1,
    SCHEDULES,
  );
  // That something was tried at all.
  expect(calls).toBeGreaterThan(SCHEDULES * 50);
  expect(faults).toBeGreaterThan(SCHEDULES * 2);
  expect(errors).toBeLessThan(calls / 5);
});
