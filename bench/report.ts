import type { Pair } from "./bench.ts";
import type { Faults } from "./generator.ts";
import { median } from "./histogram.ts";
import { type ScenarioName, type SubjectName, scenarioOf } from "./scenarios.ts";

/** Medians over the rounds of one subject in one scenario; null where nothing was measured. */
export type Row = {
  readonly scenario: ScenarioName;
  readonly subject: SubjectName;
  readonly cpuUsPerCall: number | null;
  readonly callsPerSecond: number | null;
  /** CPU per call divided by the floor's of the same run; null for floors. */
  readonly ratio: number | null;
  readonly target: number | null;
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
      (other) => other.subject === floor.subject && other.scenario === floor.scenario,
    );
    const floorUs = below === undefined || below === pair ? null : cpuOf(below);
    const loops = [...pair.closed, ...pair.open];
    return {
      scenario: pair.scenario,
      subject: pair.subject,
      cpuUsPerCall,
      callsPerSecond: median(pair.closed.map((loop) => loop.callsPerSecond)),
      ratio: cpuUsPerCall === null || floorUs === null ? null : cpuUsPerCall / floorUs,
      target: pair.subject === floor.subject ? null : target,
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
      shown(row.callsPerSecond, 0),
      shown(row.ratio, 2),
      row.target === null ? "" : `<= ${row.target}${verdict(row.ratio, row.target)}`,
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

function cpuOf(pair: Pair): number | null {
  return median(pair.closed.flatMap((loop) => (loop.cpuUs === null ? [] : [loop.cpuUs])));
}

function verdict(ratio: number | null, target: number): string {
  if (ratio === null) return "";
  return ratio <= target ? " met" : " missed";
}

function shown(value: number | null, digits: number): string {
  return value === null ? "" : value.toFixed(digits);
}
