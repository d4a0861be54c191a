import { afterEach, expect, test } from "vitest";
import { PROGRAM } from "../test/support/program.ts";
import { Bench } from "./bench.ts";
import { rowsOf } from "./report.ts";
import { SCENARIOS, type SubjectName, scenarioOf } from "./scenarios.ts";
import { StartTimeRun } from "./start-time.ts";

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

test("a run measures every floor without a fault and leaves no process behind", async () => {
  const subjects: SubjectName[] = [
    ...(["http-constant", "net-constant", "ws-constant", "http-proxy", "net-proxy"] as const),
    ...(["node", "direct"] as const),
  ];
  const options = {
    program: PROGRAM,
    subjects,
    rounds: 1,
    seconds: 2,
    maxBodies: 40,
    cores: null,
    keys: 10,
    settleMs: 0,
  };
  const bench = new Bench({ ...options, scenarios: SCENARIOS });
  ends.push(() => bench.stop());
  const rows = rowsOf(await bench.run());
  expect(rows.map((row) => `${row.scenario} ${row.subject}`)).toEqual([
    ...["local net-constant", "local http-constant"],
    ...["hit-number net-constant", "hit-number direct"],
    ...["hit-hash net-constant", "hit-receipt net-constant"],
    ...["hit-10k net-constant", "networks-8 net-constant"],
    ...["forward net-proxy", "forward http-proxy", "forward direct"],
    "block-300k-hit node",
    ...["block-300k-miss net-proxy", "block-300k-miss http-proxy"],
    ...["websocket-hit ws-constant", "websocket-miss ws-constant"],
    "slot-block-5m http-proxy",
  ]);
  for (const row of rows) {
    const { rate, repeats } = scenarioOf(row.scenario);
    const loops = [row.subject !== "direct", rate !== null];
    expect(row.faults).toEqual({ count: 0, first: null });
    expect(row.calls).toBe(40 * loops.filter(Boolean).length * repeats);
    expect(row.p99Ms === null).toBe(!loops[1]);
    const isProxy = row.subject.endsWith("-proxy");
    if (loops[0]) expect(row.counts?.upstreamCalls).toBe(isProxy ? 1 : 0);
  }
  const bytes = (scenario: string) =>
    rows.find((row) => row.scenario === scenario)?.counts?.bytes ?? 0;
  expect(bytes("local")).toBeLessThan(150);
  expect(bytes("hit-hash")).toBeGreaterThan(1400);
  expect(bytes("block-300k-hit")).toBeGreaterThan(300_000);
  const pids = bench.pids();
  // The floors', and the generator's, in which the nodes are.
  expect(pids).toHaveLength(8);
  await bench.stop();
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
}, 60_000);

test("Tollgate is measured in each scenario of its EVM networks, and asks nodes as often as it should", async () => {
  const names = ["local", "hit-number", "networks-8", "forward"];
  const more = ["block-300k-hit", "batch-100-batched", "websocket-hit", "websocket-miss"];
  const scenarios = [...names, ...more].map(scenarioOf);
  const options = { rounds: 1, seconds: 5, maxBodies: 200, cores: null, keys: 50, settleMs: 0 };
  const bench = new Bench({ ...options, program: PROGRAM, subjects: ["tollgate"], scenarios });
  ends.push(() => bench.stop());
  const rows = rowsOf(await bench.run());
  expect(rows).toHaveLength(scenarios.length);
  for (const { faults } of rows) expect(faults).toEqual({ count: 0, first: null });
  const asked = rows.map(({ counts }) => Math.round((counts?.upstreamCalls ?? -1) * 10));
  expect(asked).toEqual([0, 0, 0, 10, 0, 10, 0, 10]);
  expect(bench.memory.idleBytes === null).toBe(process.platform !== "linux");
}, 120_000);

test("1,000 identical calls at once reach a node once, the hedge of a slow wave aside", async () => {
  const scenarios = [scenarioOf("identical-1000")];
  // Of a single wave, as of the first one, a hedge would double the count.
  const options = { rounds: 1, seconds: 30, maxBodies: 8000, cores: null, keys: 1, settleMs: 0 };
  const bench = new Bench({ ...options, program: PROGRAM, subjects: ["tollgate"], scenarios });
  ends.push(() => bench.stop());
  const [identical] = rowsOf(await bench.run());
  expect(identical?.faults).toEqual({ count: 0, first: null });
  expect((identical?.counts?.upstreamCalls ?? 1) * 1000).toBeLessThan(1.5);
}, 60_000);

test("a start is timed, and what is resident after it", async () => {
  const run = new StartTimeRun({ program: PROGRAM, starts: 2, settleMs: 0, cores: null });
  ends.push(() => run.stop());
  const { readyMs, idleBytes } = await run.run();
  expect(readyMs).toBeGreaterThan(50);
  expect(idleBytes === null).toBe(process.platform !== "linux");
}, 60_000);
