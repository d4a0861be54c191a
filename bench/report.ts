import type { Memory, Pair } from "./bench.ts";
import type { CallPath, Dashboards } from "./dashboards.ts";
import type { Faults } from "./generator.ts";
import { median } from "./histogram.ts";
import type { LargeAnswers } from "./large-answers.ts";
import {
  type Counts,
  type ScenarioName,
  type SubjectName,
  scenarioOf,
  type Target,
} from "./scenarios.ts";
import type { StartTime } from "./start-time.ts";

const TARGET_PEAK_BYTES = 400_000_000;
/** Of a core: a busy gateway has so much less for its calls. */
const TARGET_DASHBOARDS_SHARE = 0.02;
const TARGET_READY_MS = 400;
const TARGET_IDLE_BYTES = 110_000_000;
/** Above the idle gateway: what the cache may hold by default, and what the work itself takes. */
const TARGET_GROWTH_BYTES = 268_435_456 + 150_000_000;

/** Medians over the rounds of one subject in one scenario; null where nothing was measured. */
export type Row = {
  readonly scenario: ScenarioName;
  readonly subject: SubjectName;
  readonly cpuUsPerCall: number | null;
  readonly callsPerSecond: number | null;
  /** What a second of CPU does, all threads. */
  readonly callsPerCpuSecond: number | null;
  /**
   * CPU per call divided by the floor's of the same round, the median of the rounds: what makes a machine
   * slower for a while makes both so. Null for floors.
   */
  readonly ratio: number | null;
  readonly target: Target | null;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  /** The worst of all rounds. */
  readonly maxMs: number | null;
  /** p50 less that of the node itself in the same round, likewise; null where that was not measured. */
  readonly addedP50Ms: number | null;
  /** That divided by what `net-proxy` adds to `forward` in the same round, likewise. */
  readonly addedP50Ratio: number | null;
  readonly targetAddedP50: number | null;
  readonly counts: Counts | null;
  readonly calls: number;
  readonly faults: Faults;
};

/** One row per pair, in the order of the pairs. */
export function rowsOf(pairs: readonly Pair[]): Row[] {
  const proxyAddsMs = proxyAddedP50sMs(pairs);
  return pairs.map((pair) => {
    const cpuUsPerCall = median(cpusOf(pair).filter((us) => us !== null));
    const { floor, target, addedP50 } = scenarioOf(pair.scenario);
    const other = (subject: SubjectName | undefined, scenario: ScenarioName | undefined) =>
      pairs.find((one) => one !== pair && one.subject === subject && one.scenario === scenario);
    const below =
      pair.subject === "tollgate-postgres"
        ? other("tollgate", pair.scenario)
        : other(floor?.subject, floor?.scenario);
    const direct = other("direct", pair.scenario);
    const isOurs = pair.subject === "tollgate";
    const loops = [...pair.closed, ...pair.open];
    return {
      scenario: pair.scenario,
      subject: pair.subject,
      cpuUsPerCall,
      callsPerCpuSecond: cpuUsPerCall === null ? null : 1_000_000 / cpuUsPerCall,
      callsPerSecond: median(pair.closed.map((loop) => loop.callsPerSecond)),
      ratio: byRound(cpusOf(pair), cpusOf(below), (own, floors) => own / floors),
      target: isOurs ? target : null,
      p50Ms: median(p50sOf(pair)),
      addedP50Ms: median(addedP50sMs(pair, direct)),
      addedP50Ratio: isOurs
        ? byRound(addedP50sMs(pair, direct), proxyAddsMs, (own, proxy) => own / proxy)
        : null,
      targetAddedP50: isOurs ? addedP50 : null,
      counts: countsOf(pair),
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

/** Of each round. */
function addedP50sMs(pair: Pair | undefined, direct: Pair | undefined): number[] {
  const nodes = p50sOf(direct);
  return p50sOf(pair).flatMap((own, round) => {
    const node = nodes[round];
    return node === undefined ? [] : [own - node];
  });
}

/** How long waking threads takes, and two more hops, differs more from machine to machine than anything else. */
function proxyAddedP50sMs(pairs: readonly Pair[]): number[] {
  const of = (subject: SubjectName) =>
    pairs.find((pair) => pair.subject === subject && pair.scenario === "forward");
  return addedP50sMs(of("net-proxy"), of("direct"));
}

/** The rows as text for a terminal, one line each, and a line for each row with faults. */
export function tableOf(rows: readonly Row[]): string {
  const head = ["scenario", "subject", "CPU us/call", "calls/CPU s", "calls/s", "ratio", "target"];
  const latency = ["p50 ms", "p99 ms", "max ms", "added p50", "of proxy's", "target"];
  const lines = rows.map((row) => [
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
    shown(row.addedP50Ms, 3),
    shown(row.addedP50Ratio, 2),
    row.addedP50Ratio === null ? "" : atMost(row.targetAddedP50, row.addedP50Ratio),
  ]);
  const faults = rows
    .filter((row) => row.faults.count > 0)
    .map(
      (row) => `${row.subject}, ${row.scenario}: ${row.faults.count} faults: ${row.faults.first}\n`,
    );
  return aligned([[...head, ...latency], ...lines]) + faults.join("");
}

/** What was counted for each call, as text for a terminal: Tollgate's rows alone. */
export function countsTable(rows: readonly Row[]): string {
  const head = ["counted per call", "calls to nodes", "requests to nodes", "bytes", "writes"];
  const lines = rows.flatMap(({ scenario, subject, counts }) =>
    counts === null || subject !== "tollgate"
      ? []
      : [
          [
            scenario,
            shown(counts.upstreamCalls, 4),
            shown(counts.upstreamRequests, 4),
            shown(counts.bytes, 0),
            shown(counts.writes, 2),
          ],
        ],
  );
  return aligned([head, ...lines]);
}

/** A start, and resident memory after it and after all scenarios, as text for a terminal. */
export function startLines({ readyMs, idleBytes }: StartTime, memory: Memory): string {
  const mostBytes = memory.idleBytes === null ? null : memory.idleBytes + TARGET_GROWTH_BYTES;
  const ready = `${readyMs === null ? "unknown" : `${readyMs.toFixed(0)} ms`}`;
  const target = (bytes: number | null, most: number | null) =>
    most === null ? "" : `   <= ${megabytes(most)}${verdict(bytes, (value) => value <= most)}`;
  return [
    `first answer after the start: ${ready}   ${atMost(TARGET_READY_MS, readyMs)}`,
    `resident memory, one network, idle: ${megabytes(idleBytes)}${target(idleBytes, TARGET_IDLE_BYTES)}`,
    `resident memory, all networks, idle: ${megabytes(memory.idleBytes)}`,
    `resident memory after all scenarios: ${megabytes(memory.afterBytes)}${target(memory.afterBytes, mostBytes)}\n`,
  ].join("\n");
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

/** What open dashboards cost the calls, as text for a terminal. */
export function dashboardsTable(found: Dashboards): string {
  const { dashboards, closed, open, ratio, addedShare, events, answers, faults } = found;
  const percent = (share: number | null) => shown(share === null ? null : share * 100, 1);
  const line = (name: string, path: CallPath) => [
    name,
    shown(path.cpuUsPerCall, 1),
    shown(path.callsPerSecond, 0),
    shown(path.p50Ms, 3),
    shown(path.p99Ms, 3),
    percent(path.quietShare),
    percent(path.consoleShare),
  ];
  const openTo = (figure: "callsPerSecond" | "p50Ms" | "p99Ms") => open[figure] / closed[figure];
  const ratios = [ratio, openTo("callsPerSecond"), openTo("p50Ms"), openTo("p99Ms")];
  const head = ["dashboards", "CPU us/call", "calls/s", "p50 ms", "p99 ms"];
  const lines = [
    [...head, "quiet, % of a core", "console, % of a core"],
    line("closed", closed),
    line(`open, ${dashboards}`, open),
    ["open / closed", ...ratios.map((each) => shown(each, 2)), "", ""],
  ];
  const isMet = verdict(addedShare, (share) => share <= TARGET_DASHBOARDS_SHARE);
  const target = `<= ${percent(TARGET_DASHBOARDS_SHARE)} %${isMet}`;
  return [
    aligned(lines),
    `a quiet gateway takes ${percent(addedShare)} % of a core more for them   ${target}\n`,
    `${events} events and ${answers} answers came to them\n`,
    faults.count > 0 ? `${faults.count} faults: ${faults.first}\n` : "",
  ].join("");
}

const megabytes = (bytes: number | null): string =>
  bytes === null ? "unknown" : `${Math.round(bytes / 1_000_000)} MB`;

/** Lines of cells, the first of each to the left and the others to the right. */
export function aligned(lines: readonly (readonly string[])[]): string {
  const widths = lines.reduce<number[]>(
    (widest, line) => line.map((cell, at) => Math.max(cell.length, widest[at] ?? 0)),
    [],
  );
  const isText = (cell: string) => /^[a-z]/.test(cell);
  const pad = (cell: string, at: number) =>
    isText(cell) && at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0);
  return lines.map((line) => `${line.map(pad).join("  ").trimEnd()}\n`).join("");
}

function countsOf({ closed }: Pair): Counts | null {
  const middle = (of: (loop: Pair["closed"][number]) => number | null) =>
    median(closed.flatMap((loop) => of(loop) ?? []));
  const upstreamCalls = middle(({ upstream }) => upstream.calls);
  const upstreamRequests = middle(({ upstream }) => upstream.requests);
  const bytes = middle((loop) => loop.bytes);
  if (upstreamCalls === null || upstreamRequests === null || bytes === null) return null;
  return { upstreamCalls, upstreamRequests, bytes, writes: middle((loop) => loop.writes) };
}

function p50sOf(pair: Pair | undefined): number[] {
  return pair?.open.map((loop) => loop.p50Ms) ?? [];
}

export function cpusOf(pair: Pair | undefined): (number | null)[] {
  return pair?.closed.map((loop) => loop.cpuUs) ?? [];
}

/** The median of what the two come to in each round that has both. */
export function byRound(
  ones: readonly (number | null)[],
  others: readonly (number | null)[],
  compared: (one: number, other: number) => number,
): number | null {
  // What is measured several times in each round is held against by its median.
  const times = Math.max(others.length / Math.max(ones.length, 1), 1);
  const each = ones.map((one, round) => {
    const of = others.slice(round * times, (round + 1) * times);
    const other = median(of.filter((value) => value !== null));
    return one === null || other === null ? null : compared(one, other);
  });
  return median(each.filter((value) => value !== null));
}

function targetOf({ target, ratio, callsPerCpuSecond }: Row): string {
  if (target === null) return "";
  if ("ratio" in target) {
    return atMost(target.ratio, ratio);
  }
  const { callsPerCpuSecond: least } = target;
  return `>= ${least}/CPU s${verdict(callsPerCpuSecond, (value) => value >= least)}`;
}

function atMost(most: number | null, value: number | null): string {
  return most === null ? "" : `<= ${most}${verdict(value, (found) => found <= most)}`;
}

export function verdict(value: number | null, isMetBy: (value: number) => boolean): string {
  if (value === null) return "";
  return isMetBy(value) ? " met" : " missed";
}

export function shown(value: number | null, digits: number): string {
  return value === null ? "" : value.toFixed(digits);
}
