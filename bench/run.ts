/**
 * `node bench/run.ts [--rounds 9] [--seconds 1] [--only SCENARIO,… | --floors |
 * --dashboards | --overload | --abuse | --keys | --fleet | --subscriptions | --traces | --storage postgres]
 * [--json FILE] [--compare FILE]`
 *
 * What a call costs: Tollgate, as its user starts it, and the least that a server can do in its place
 * (the floors) in one run against two stand-in nodes; docs/measuring.md tells how to read it. The
 * subject has a core of its own where taskset is there; nodes and generator share the rest. Rounds
 * rotate, figures are medians. Then how long a start takes, the memory that 20 answers of 5 MB at once
 * take (`large-answers.ts`), what ten open dashboards cost the calls (`dashboards.ts`), what metering
 * adds (`metering.ts`) and what routing adds (`routing.ts`). `--overload` is another run: one account asks
 * slow nodes for four times of what they can do beside quiet ones (`overload.ts`), and 50,000 calls come
 * while all nodes hang (`hung.ts`). So is `--abuse`: hostile clients beside a quiet one, for 60 seconds
 * each or as `--seconds` says (`abuse.ts`). And `--keys`: the same calls with one key, 100,000 and a million
 * (`key-counts.ts`). `--storage postgres` holds each scenario on PostgreSQL against the same on SQLite
 * (`storage-cost.ts`), and four gateways on one database against one of them (`gateway-counts.ts`). `--fleet`
 * simulates a hundred gateways and a million keys with the real ledger (`fleet.ts`). `--subscriptions` has
 * 10,000 subscribers told of new heads, and 1,000 of logs, beside a floor that writes the same (`subscriptions.ts`).
 * `--traces` holds calls of which a tenth is traced against the same without traces (`traces-cost.ts`).
 * Exit code 1 where a call failed, or where something that is counted is above its bound or above the
 * run that `--compare` names; a missed target is none.
 */
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { AbuseRun } from "./abuse.ts";
import { abuseFaults, abuseTable } from "./abuse-report.ts";
import { Bench, type BenchOptions } from "./bench.ts";
import { buildProgram } from "./build-program.ts";
import {
  changesOf,
  countFaults,
  type SavedRun,
  type Statements,
  statementFaults,
} from "./compare.ts";
import { planCores } from "./cpu.ts";
import { DashboardsRun } from "./dashboards.ts";
import { fleetTable, rowCost, simulateFleet } from "./fleet.ts";
import { GatewayCountsRun, gatewayCountsTable } from "./gateway-counts.ts";
import { HungRun } from "./hung.ts";
import { KeyCountsRun, keyCountsTable } from "./key-counts.ts";
import { LargeAnswersRun } from "./large-answers.ts";
import { OverloadRun } from "./overload.ts";
import { hungLine, overloadFaults, overloadTable } from "./overload-report.ts";
import { countsTable, dashboardsTable, memoryLine, rowsOf, startLines, tableOf } from "./report.ts";
import { SCENARIOS, type SubjectName, scenarioOf } from "./scenarios.ts";
import { StartTimeRun } from "./start-time.ts";
import { BenchDatabase, storageTable } from "./storage-cost.ts";
import { StreamRun, streamTable } from "./subscriptions.ts";
import { TracesCostRun, tracesTable } from "./traces-cost.ts";

const FLOORS: readonly SubjectName[] = [
  ...(["http-constant", "net-constant", "ws-constant", "http-proxy", "net-proxy"] as const),
  ...(["node", "direct"] as const),
];
const STARTS = 5;
const ABUSE = { budgetBytes: 268_435_456, addresses: [1, 10, 100] };
/** Nodes as slow as busy ones; a block time in which each is asked for its head and may answer. */
const OVERLOAD = { seconds: 26, answerMs: 1000, maxConnections: 64, blockMs: 2000 };
/** Subscriptions to new heads by socket, the logs of a block, and how many blocks are told. */
const STREAMS = { sockets: 1000, heads: 10, logs: 500, blocks: 200 };
/** Each of them finds a place among those that wait for so many connections, or is refused. */
const HUNG = { calls: 50_000, callsPerSecond: 10_000, maxConnections: 400 };

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "9" },
    seconds: { type: "string" },
    only: { type: "string" },
    floors: { type: "boolean", default: false },
    dashboards: { type: "boolean", default: false },
    overload: { type: "boolean", default: false },
    abuse: { type: "boolean", default: false },
    keys: { type: "boolean", default: false },
    fleet: { type: "boolean", default: false },
    subscriptions: { type: "boolean", default: false },
    traces: { type: "boolean", default: false },
    storage: { type: "string", default: "sqlite" },
    json: { type: "string" },
    compare: { type: "string" },
  },
});
const isAlone =
  [values.dashboards, values.overload, values.abuse, values.keys].some(Boolean) ||
  [values.fleet, values.subscriptions, values.traces].some(Boolean);
const isOnPostgres = oneOf(values.storage, ["sqlite", "postgres"], "storage") === "postgres";
const named = values.only?.split(",").map(scenarioOf) ?? SCENARIOS;
const program = buildProgram();
// Last of what may fail before all that runs is ended in any case.
const database = isOnPostgres || values.fleet ? await BenchDatabase.start(planCores()) : undefined;
const options: BenchOptions = {
  program,
  subjects: subjects(),
  // The many keys are put into a file.
  scenarios: isAlone ? [] : named.filter(({ network }) => !isOnPostgres || network !== "many"),
  ...(database === undefined ? {} : { database }),
  rounds: positive("rounds", values.rounds),
  seconds: positive("seconds", values.seconds ?? "1"),
  maxBodies: 200_000,
  cores: planCores(),
  keys: 100_000,
  settleMs: 3000,
};
const isWhole = values.only === undefined && !values.floors && !isAlone && !isOnPostgres;
const saved: SavedRun | null =
  values.compare === undefined ? null : JSON.parse(await readFile(values.compare, "utf8"));
const bench = new Bench(options);
const startTime = new StartTimeRun({ ...options, starts: STARTS });
const largeAnswers = new LargeAnswersRun({
  ...options,
  atOnce: 20,
  waves: 3,
  cores: options.cores,
});
const dashboardsRun = new DashboardsRun({ ...options, dashboards: 10, operators: 5 });
const overloadRun = new OverloadRun({
  ...OVERLOAD,
  program: options.program,
  cores: options.cores,
});
// How long the collector holds the gateway up is measured with the cores that its threads have anywhere.
const hungRun = new HungRun({ ...HUNG, program: options.program, cores: null });
const abuseRun = new AbuseRun({
  ...ABUSE,
  ...{ program: options.program, cores: options.cores },
  seconds: positive("seconds", values.seconds ?? "60"),
});
const gatewaysRun = new GatewayCountsRun({ ...options, gateways: 4 });
const streamRun = new StreamRun({ ...STREAMS, ...options });
const keysRun = new KeyCountsRun({ ...options, counts: [1, 100_000, 1_000_000] });
const tracesRun = new TracesCostRun(options);
const runs = [
  bench,
  startTime,
  largeAnswers,
  dashboardsRun,
  overloadRun,
  hungRun,
  abuseRun,
  keysRun,
  streamRun,
  gatewaysRun,
  tracesRun,
];
const stop = async () => {
  await Promise.all(runs.map((run) => run.stop()));
  await database?.stop();
};
let isStopped = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    isStopped = true;
    // What runs fails then, and the rest of this file goes on from there.
    void stop();
  });
}

try {
  const pairs = isAlone ? [] : await bench.run();
  const rows = rowsOf(pairs);
  if (isOnPostgres) print(storageTable(rows, pairs));
  else if (rows.length > 0) print(`${tableOf(rows)}\n${countsTable(rows)}`);
  // Else its processes would share the cores of what comes next.
  await bench.stop();
  const start = isWhole ? await startTime.run() : null;
  await startTime.stop();
  if (start !== null) print(`\n${startLines(start, bench.memory)}`);
  const wantsLarge =
    !isOnPostgres && options.scenarios.some(({ name }) => name === "slot-block-5m");
  const large = wantsLarge && !values.floors ? await largeAnswers.run() : null;
  if (large !== null) print(`\n${memoryLine(large)}`);
  await largeAnswers.stop();
  const dashboards = isWhole || values.dashboards ? await dashboardsRun.run() : null;
  if (dashboards !== null) print(`\n${dashboardsTable(dashboards)}`);
  await dashboardsRun.stop();
  const overloads = values.overload ? await overloadRun.run() : null;
  if (overloads !== null) print(overloadTable(overloads));
  const hung = values.overload ? await hungRun.run() : null;
  if (hung !== null) print(`\n${hungLine(hung)}`);
  await hungRun.stop();
  const abuses = values.abuse ? await abuseRun.run() : null;
  if (abuses !== null) print(abuseTable(abuses, ABUSE.budgetBytes));
  const keyCounts = values.keys ? await keysRun.run() : null;
  if (keyCounts !== null) print(keyCountsTable(keyCounts));
  const streams = values.subscriptions ? await streamRun.run() : null;
  if (streams !== null) print(streamTable(streams));
  const traces = values.traces ? await tracesRun.run() : null;
  if (traces !== null) print(tracesTable(traces.costs, traces.spans));
  const fleet = values.fleet ? await simulateFleet() : null;
  if (fleet !== null && database !== undefined) print(fleetTable(fleet, await rowCost(database)));
  const gatewayCounts = isOnPostgres && values.only === undefined ? await gatewaysRun.run() : null;
  if (gatewayCounts !== null) print(`\n${gatewayCountsTable(gatewayCounts)}`);
  await gatewaysRun.stop();
  const metering = isWhole ? await part<Statements>("./metering.ts") : null;
  const routing = isWhole ? await part<object>("./routing.ts") : null;
  const changes = saved === null ? null : changesOf({ rows, dashboards }, saved);
  if (changes !== null) print(`\nratios, the saved run's and this one's\n${changes}`);
  const faults = [
    ...countFaults(rows, saved),
    ...(metering === null ? [] : statementFaults(metering, saved)),
  ];
  print(faults.map((fault) => `\ncounted: ${fault}`).join(""));
  const counted = [...(keyCounts ?? []), ...(gatewayCounts ?? []), ...(traces?.costs ?? [])];
  const measured = [...rows, large, dashboards, ...counted];
  if (faults.length > 0 || overloadFaults(overloads ?? []) + abuseFaults(abuses ?? []) > 0)
    process.exitCode = 1;
  if (hung !== null && hung.fault !== null) process.exitCode = 1;
  if (measured.some((one) => (one?.faults.count ?? 0) > 0)) process.exitCode = 1;
  if (values.json !== undefined) {
    const { rounds, seconds, cores } = options;
    const machine = { node: process.version, cpu: cpus()[0]?.model ?? null, cores: cpus().length };
    const run = { machine, pinned: cores !== null, rounds, seconds };
    const found = { rows, start, memory: bench.memory, large, dashboards, overloads, hung, abuses };
    const all = {
      ...run,
      ...found,
      keyCounts,
      gatewayCounts,
      fleet,
      streams,
      traces,
      statements: metering,
      routing,
    };
    await writeFile(values.json, `${JSON.stringify(all, null, 2)}\n`);
  }
} catch (error) {
  if (!isStopped) throw error;
  process.exitCode = 130;
} finally {
  await stop();
}

/** Runs another script of this folder, whose report is printed as it comes; its figures, null after a failure. */
async function part<Figures>(script: string): Promise<Figures | null> {
  const directory = await mkdtemp(join(tmpdir(), "tollgate-bench-"));
  try {
    print("\n");
    const json = join(directory, "figures.json");
    const file = fileURLToPath(new URL(script, import.meta.url));
    const { status } = spawnSync(process.execPath, [file, "--json", json], { stdio: "inherit" });
    if (status !== 0) process.exitCode = 1;
    return status === 0 ? JSON.parse(await readFile(json, "utf8")) : null;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function print(text: string): void {
  process.stdout.write(text);
}

function subjects(): readonly SubjectName[] {
  if (isOnPostgres) return ["tollgate", "tollgate-postgres"];
  return values.floors ? FLOORS : [...FLOORS, "tollgate"];
}

function oneOf(text: string, words: readonly string[], name: string): string {
  if (words.includes(text)) return text;
  throw new Error(`--${name} takes ${words.join(" or ")}, not "${text}"`);
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new Error(`--${name} takes a number above 0, not "${text}"`);
}
