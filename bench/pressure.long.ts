import { afterEach, expect, test } from "vitest";
import { PROGRAM } from "../test/support/program.ts";
import { AbuseRun } from "./abuse.ts";
import { abuseTable } from "./abuse-report.ts";
import { HungRun } from "./hung.ts";
import { OverloadRun } from "./overload.ts";
import { hungLine, overloadTable } from "./overload-report.ts";

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

test("a short overload serves both accounts, and is shown as met or missed", async () => {
  const usual = { accounts: 2, batch: 1, workers: 1 } as const;
  const run = new OverloadRun({
    ...{ program: PROGRAM, cores: null, seconds: 8 },
    ...{ answerMs: 50, maxConnections: 4, blockMs: 1000 },
    scenarios: [{ ...usual, name: "websocket", protocol: "websocket" }],
  });
  ends.push(() => run.stop());
  const [overload] = await run.run();
  if (overload === undefined) throw new Error("nothing was measured");
  for (const { faults } of [overload.alone, overload.quiet, overload.flood]) {
    expect(faults).toEqual({ count: 0, first: null });
  }
  expect(overload.quiet.served).toBeGreaterThan(0);
  expect(overload.flood.served).toBeGreaterThan(0);
  const table = overloadTable([{ ...overload, goodput: 80, capacity: 100, headAge: 1 }]);
  expect(table).toMatch(/websocket +80\.0 +0\.80 +>= 0\.9 missed/);
  expect(table).toMatch(/1\.00 +<= 2 met/);
}, 60_000);

test("a short abuse leaves a quiet client its answers, and is shown as met or missed", async () => {
  const run = new AbuseRun({
    ...{ program: PROGRAM, cores: null, seconds: 1, budgetBytes: 134_217_728 },
    ...{ addresses: [2], abuses: ["batches of unknown methods"] },
  });
  ends.push(() => run.stop());
  const [abuse] = await run.run();
  if (abuse === undefined) throw new Error("nothing was measured");
  expect(abuse.opened).toBe(2);
  expect(abuse.quiet.faults).toEqual({ count: 0, first: null });
  expect(abuse.quiet.served).toBeGreaterThan(10);
  const quiet = { ...abuse.quiet, p50Ms: 1, p99Ms: 26 };
  const table = abuseTable([{ ...abuse, quiet, peakBytes: 200_000_000 }], 100_000_000);
  expect(table).toMatch(/ 2 +2 +200 +<= 250 met +1\.00 +26\.00 +<= 25 missed/);
}, 60_000);

test("of some calls while all nodes hang most are refused, and what waits is shown as met or missed", async () => {
  const run = new HungRun({
    ...{ program: PROGRAM, cores: null },
    ...{ calls: 3000, callsPerSecond: 3000, maxConnections: 1 },
  });
  ends.push(() => run.stop());
  const hung = await run.run();
  expect(hung).toMatchObject({ sent: 3000, fault: null });
  expect(hung.refused).toBeGreaterThan(500);
  expect(hungLine({ ...hung, firstRefusedMs: 40, addedBytes: 70e6, heldMs: 50 })).toMatch(
    /40 ms \(<= 100 met\).* 70 MB \(<= 67 missed\).* 50 ms at most \(<= 50 met\)/,
  );
}, 60_000);
