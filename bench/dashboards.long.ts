import { afterEach, expect, test } from "vitest";
import { PROGRAM } from "../test/support/program.ts";
import { DashboardsRun } from "./dashboards.ts";

const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

test("a short run of dashboards has news and answers, no fault, and leaves no process behind", async () => {
  const size = { dashboards: 1, operators: 1, maxBodies: 500, cores: null };
  const run = new DashboardsRun({ ...size, program: PROGRAM, rounds: 1, seconds: 1 });
  ends.push(() => run.stop());
  const { closed, open, events, answers, faults } = await run.run();
  expect(faults).toEqual({ count: 0, first: null });
  // Of two rounds: two streams, what a page asks for first, and chart and table again.
  expect(events).toBeGreaterThanOrEqual(2 * 2);
  expect(answers).toBeGreaterThanOrEqual(2 * (7 + 2));
  for (const path of [closed, open]) {
    expect(path.callsPerSecond).toBeGreaterThan(0);
    expect(path.p99Ms).toBeGreaterThan(0);
    for (const share of [path.quietShare, path.consoleShare]) {
      expect(share === null).toBe(process.platform !== "linux");
    }
  }
  const pids = run.pids();
  expect(pids).toHaveLength(process.platform === "linux" ? 6 : 5);
  await run.stop();
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
}, 60_000);
