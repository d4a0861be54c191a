import { afterEach, expect, test } from "vitest";
import { PROGRAM } from "../test/support/program.ts";
import { Bench } from "./bench.ts";
import { LargeAnswersRun } from "./large-answers.ts";
import { rowsOf } from "./report.ts";
import { scenarioOf } from "./scenarios.ts";

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

test("a ledger is read through Tollgate without a fault, and without a floor", async () => {
  const scenarios = [scenarioOf("slot-ledger")];
  const options = { subjects: ["tollgate" as const], rounds: 1, seconds: 10, cores: null };
  const bench = new Bench({
    ...options,
    program: PROGRAM,
    scenarios,
    maxBodies: 70,
    keys: 1,
    settleMs: 0,
  });
  ends.push(() => bench.stop());
  expect(rowsOf(await bench.run())).toMatchObject([
    { scenario: "slot-ledger", calls: 70, ratio: null, faults: { count: 0, first: null } },
  ]);
}, 60_000);

test("large answers at once reach slow and fast readers whole, and the gateway's peak of memory is told", async () => {
  const run = new LargeAnswersRun({ program: PROGRAM, atOnce: 4, waves: 1, cores: null });
  ends.push(() => run.stop());
  const found = await run.run();
  expect(found).toMatchObject({ atOnce: 4, waves: 1, faults: { count: 0, first: null } });
  if (process.platform !== "linux") return expect(found.peakBytes).toBeNull();
  // Four answers of 5 MB were in it, and the program itself was there before.
  expect(found.peakBytes).toBeGreaterThan((found.idleBytes ?? 0) + 10_000_000);
}, 60_000);
