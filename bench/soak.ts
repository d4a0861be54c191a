/**
 * `node bench/soak.ts [--minutes 60] [--share 0.8] [--json FILE]`
 *
 * A gateway as its user starts it, in front of two stand-in nodes with a block every two seconds, under
 * mixed calls of clients that come and go (`soak-mix.ts`, `soak-clients.ts`) at a share of what it was
 * measured to take. Every ten seconds a line: latency from the intended times, heap after a forced
 * collection, resident memory, delay of the event loop, faults. At the end, whether heap and p99 stayed
 * flat, nothing failed, and what was charged is what was served. Exit code 1 where one of them is not so.
 */
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { buildProgram } from "./build-program.ts";
import { planCores } from "./cpu.ts";
import { findingsOf, intervalLine } from "./soak-report.ts";
import { SoakRun } from "./soak-run.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    share: { type: "string", default: "0.8" },
    json: { type: "string" },
  },
});
const options = {
  program: buildProgram(),
  seconds: positive("minutes", values.minutes) * 60,
  share: positive("share", values.share),
  cores: planCores(),
  intervalSeconds: 10,
  // The cache is full by then, and what costs little while it is not has been dear for a while.
  saturateSeconds: 40,
};
const soak = new SoakRun(options);
let isStopped = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    isStopped = true;
    void soak.stop();
  });
}

try {
  const run = await soak.run({
    onCapacity: (perSecond) => print(`it takes ${perSecond.toFixed(0)} requests a second\n`),
    onInterval: (interval) => print(intervalLine(interval)),
  });
  const findings = findingsOf(run.intervals, run);
  for (const { text, isMet } of findings) print(`${text} ${isMet ? "met" : "missed"}\n`);
  if (findings.some(({ isMet }) => !isMet)) process.exitCode = 1;
  if (values.json !== undefined) {
    await writeFile(values.json, `${JSON.stringify({ ...run, findings }, null, 2)}\n`);
  }
} catch (error) {
  if (!isStopped) throw error;
  process.exitCode = 130;
} finally {
  await soak.stop();
}

function print(text: string): void {
  process.stdout.write(text);
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new Error(`--${name} takes a number above 0, not "${text}"`);
}
