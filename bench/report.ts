import type { Pair } from "./bench.ts";
import type { Faults } from "./generator.ts";
import { median } from "./histogram.ts";
import type { LargeAnswers } from "./large-answers.ts";
import { type ScenarioName, type SubjectName, scenarioOf, type Target } from "./scenarios.ts";

const TARGET_PEAK_BYTES = 400_000_000;

/** Medians over the rounds of one subject in one scenario; null where nothing was measured. */
export type Row = {
  readonly scenario: ScenarioName;
  readonly subject: SubjectName;
  readonly cpuUsPerCall: number | null;
  readonly callsPerSecond: number | null;
  /** What a second of CPU does, all threads. */
  readonly callsPerCpuSecond: number | null;
  /** CPU per call divided by the floor's of the same run; null for floors. */
  readonly ratio: number | null;
  readonly target: Target | null;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  /** The worst of all rounds. */
  readonly maxMs: number | null;
  readonly calls: number;
  readonly faults: Faults;
};

/** One row per pair, in the order of the pairs. */
export function rowsOf(pairs: readonly Pair[]): Row[] {
  return pairs.map((pair) => {
    const cpuUsPerCall = cpuOf(pair);
    const { floor, target } = scenarioOf(pair.scenario);
    const below = pairs.find(
      (other) => other.subject === floor?.subject && other.scenario === floor.scenario,
    );
    const floorUs = below === undefined || below === pair ? null : cpuOf(below);
    const loops = [...pair.closed, ...pair.open];
    return {
      scenario: pair.scenario,
      subject: pair.subject,
      cpuUsPerCall,
      callsPerCpuSecond: cpuUsPerCall === null ? null : 1_000_000 / cpuUsPerCall,
      callsPerSecond: median(pair.closed.map((loop) => loop.callsPerSecond)),
      ratio: cpuUsPerCall === null || floorUs === null ? null : cpuUsPerCall / floorUs,
      target: pair.subject === floor?.subject ? null : target,
      p50Ms: median(pair.open.map((loop) => loop.p50Ms)),
      p99Ms: median(pair.open.map((loop) => loop.p99Ms)),
      maxMs: pair.open.length === 0 ? null : Math.max(...pair.open.map((loop) => loop.maxMs)),
      calls: loops.reduce((sum, loop) => sum + loop.calls, 0),
      faults: {
        count: loops.reduce((sum, loop) => sum + loop.faults.count, 0),
        first: loops.find((loop) => loop.faults.first !== null)?.faults.first ?? null,
      },
    };
  });
}

/** The rows as text for a terminal, one line each, and a line for each row with faults. */
export function tableOf(rows: readonly Row[]): string {
  const lines = [
    [
      "scenario",
      "subject",
      "CPU us/call",
      "calls/CPU s",
      "calls/s",
      "ratio",
      "target",
      "p50 ms",
      "p99 ms",
      "max ms",
    ],
    ...rows.map((row) => [
      row.scenario,
      row.subject,
      shown(row.cpuUsPerCall, 1),
      shown(row.callsPerCpuSecond, 0),
      shown(row.callsPerSecond, 0),
      shown(row.ratio, 2),
      targetOf(row),
      shown(row.p50Ms, 3),
      shown(row.p99Ms, 3),
      shown(row.maxMs, 1),
    ]),
  ];
  const widths = lines.reduce<number[]>(
    (widest, line) => line.map((cell, at) => Math.max(cell.length, widest[at] ?? 0)),
    [],
  );
  const pad = (cell: string, at: number) =>
    at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0);
  const faults = rows
    .filter((row) => row.faults.count > 0)
    .map(
      (row) => `${row.subject}, ${row.scenario}: ${row.faults.count} faults: ${row.faults.first}`,
    );
  return [...lines.map((line) => line.map(pad).join("  ").trimEnd()), ...faults, ""].join("\n");
}

/** What large answers took of memory, as text for a terminal. */
export function memoryLine({ atOnce, idleBytes, peakBytes, faults }: LargeAnswers): string {
  const target = `<= ${megabytes(TARGET_PEAK_BYTES)}${verdict(peakBytes, (peak) => peak <= TARGET_PEAK_BYTES)}`;
  const figures = `${megabytes(idleBytes)} at the start, ${megabytes(peakBytes)} at most   ${target}`;
  const lines = [
    `${atOnce} blocks of 5 MB at once: resident memory ${figures}`,
    ...(faults.count > 0 ? [`${faults.count} faults: ${faults.first}`] : []),
  ];
  return `${lines.join("\n")}\n`;
}

const megabytes = (bytes: number | null): string =>
  bytes === null ? "unknown" : `${Math.round(bytes / 1_000_000)} MB`;

function cpuOf(pair: Pair): number | null {
  return median(pair.closed.flatMap((loop) => (loop.cpuUs === null ? [] : [loop.cpuUs])));
}

function targetOf({ target, ratio, callsPerCpuSecond }: Row): string {
  if (target === null) return "";
  if ("ratio" in target) {
    const { ratio: most } = target;
    return `<= ${most}${verdict(ratio, (value) => value <= most)}`;
  }
  const { callsPerCpuSecond: least } = target;
  return `>= ${least}/CPU s${verdict(callsPerCpuSecond, (value) => value >= least)}`;
}

function verdict(value: number | null, isMetBy: (value: number) => boolean): string {
  if (value === null) return "";
  return isMetBy(value) ? " met" : " missed";
}

function shown(value: number | null, digits: number): string {
  return value === null ? "" : value.toFixed(digits);
}
