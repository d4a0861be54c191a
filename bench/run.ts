/**
 * `node bench/run.ts [--rounds 3] [--seconds 3] [--only SCENARIO] [--floors] [--json FILE]`
 *
 * What a call costs: Tollgate, as its user starts it, and the least that a server can do in its place
 * (the floors) in one run against a stand-in node. The subject has a core of its own where taskset is
 * there; node and generator share the rest. CPU per call is the subject's user and system time, all
 * threads, in a closed loop, divided by its calls; latency is an open loop's at 1,000 calls a second,
 * from the intended time of sending. Then the memory that 20 answers of 5 MB at once take
 * (`large-answers.ts`); at the end, what metering adds (`metering.ts`) and what routing adds
 * (`routing.ts`). Rounds rotate, figures are medians. Compare ratios, not microseconds: another machine
 * gives others. Exit code 1 where a call failed; a missed target is none.
 */
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Bench, type BenchOptions } from "./bench.ts";
import { planCores } from "./cpu.ts";
import { type LargeAnswers, LargeAnswersRun } from "./large-answers.ts";
import { memoryLine, type Row, rowsOf, tableOf } from "./report.ts";
import { SCENARIOS, type SubjectName, scenarioOf } from "./scenarios.ts";

const FLOORS: readonly SubjectName[] = ["http-constant", "http-proxy", "ws-constant"];

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "3" },
    only: { type: "string" },
    floors: { type: "boolean", default: false },
    json: { type: "string" },
  },
});
const options: BenchOptions = {
  subjects: values.floors ? FLOORS : [...FLOORS, "tollgate"],
  scenarios: values.only === undefined ? SCENARIOS : [scenarioOf(values.only)],
  rounds: positive("rounds", values.rounds),
  seconds: positive("seconds", values.seconds),
  maxBodies: 200_000,
  cores: planCores(),
};
const bench = new Bench(options);
const largeAnswers = new LargeAnswersRun({ atOnce: 20, waves: 3, cores: options.cores });
let isStopped = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    isStopped = true;
    // What runs fails then, and the rest of this file goes on from there.
    void Promise.all([bench.stop(), largeAnswers.stop()]);
  });
}

try {
  const rows = rowsOf(await bench.run());
  process.stdout.write(tableOf(rows));
  // Else its processes would share the cores of what comes next.
  await bench.stop();
  const memory = await memoryOf();
  if (memory !== null) process.stdout.write(`\n${memoryLine(memory)}`);
  if (values.json !== undefined) await writeFile(values.json, json(rows, memory));
  const measured = memory === null ? rows : [...rows, memory];
  if (measured.some(({ faults }) => faults.count > 0)) process.exitCode = 1;
  if (values.only === undefined && !values.floors) {
    for (const part of ["./metering.ts", "./routing.ts"]) {
      process.stdout.write("\n");
      const file = fileURLToPath(new URL(part, import.meta.url));
      const { status } = spawnSync(process.execPath, [file], { stdio: "inherit" });
      if (status !== 0) process.exitCode = 1;
    }
  }
} catch (error) {
  if (!isStopped) throw error;
  process.exitCode = 130;
} finally {
  await Promise.all([bench.stop(), largeAnswers.stop()]);
}

async function memoryOf(): Promise<LargeAnswers | null> {
  const isWanted = options.scenarios.some(({ name }) => name === "slot-block-5m");
  return isWanted && !values.floors ? await largeAnswers.run() : null;
}

function json(rows: readonly Row[], memory: LargeAnswers | null): string {
  const { rounds, seconds, cores } = options;
  const machine = { node: process.version, cpu: cpus()[0]?.model ?? null, cores: cpus().length };
  const figures = { machine, pinned: cores !== null, rounds, seconds, rows, memory };
  return `${JSON.stringify(figures, null, 2)}\n`;
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new Error(`--${name} takes a number above 0, not "${text}"`);
}
