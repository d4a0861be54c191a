import { median } from "./histogram.ts";
import type { Heap, LoopDelay } from "./inspector.ts";
import type { SoakReport } from "./soak-clients.ts";

/** What was seen at the end of some seconds of a soak. */
export type Interval = {
  readonly atSeconds: number;
  readonly perSecond: number;
  readonly latency: Pick<SoakReport, "p50Ms" | "p99Ms" | "maxMs">;
  /** After a forced collection. */
  readonly heap: Heap;
  readonly residentBytes: number | null;
  readonly delay: LoopDelay;
  /** Of a core, by all threads; null where /proc is absent. */
  readonly cpuShare: number | null;
  readonly faults: number;
  readonly unanswered: number;
};

/** Credits, over the whole run. */
export type Charges = {
  /** What the ledger has as used. */
  readonly ledger: number;
  /** What the gateway counted as served. */
  readonly served: number;
  /** Of what clients got an answer to. */
  readonly answered: number;
  /** Of what was served before the clients came. */
  readonly before: number;
  /** Of what clients left before it was answered. */
  readonly left: number;
};

export type Finding = { readonly text: string; readonly isMet: boolean };

type Outcome = {
  readonly charges: Charges;
  readonly firstFault: string | null;
  /** Requests a second that were due. */
  readonly rate: number;
};

/** The first minutes fill caches and compile. */
const WARM_SECONDS = 300;
const MOST_HEAP_GROWTH = 0.05;
const MOST_P99_GROWTH = 0.25;
/** Below this a p99 is as flat as a busy machine lets it be. */
const P99_ROOM_MS = 0.5;

export function intervalLine(interval: Interval): string {
  const { atSeconds, perSecond, latency, heap, residentBytes, delay, cpuShare } = interval;
  const resident = residentBytes === null ? "unknown" : megabytes(residentBytes);
  return `${[
    `${String(atSeconds).padStart(5)} s`,
    `${perSecond.toFixed(0).padStart(6)}/s`,
    `p50 ${ms(latency.p50Ms)} p99 ${ms(latency.p99Ms)} max ${latency.maxMs.toFixed(0)} ms`,
    `heap ${megabytes(heap.usedBytes)} + ${megabytes(heap.externalBytes)} external, resident ${resident}`,
    `loop delay p50 ${ms(delay.p50Ms)} p99 ${ms(delay.p99Ms)} max ${delay.maxMs.toFixed(0)} ms`,
    `CPU ${cpuShare === null ? "unknown" : `${(cpuShare * 100).toFixed(0)} %`}`,
    `${interval.faults} faults, ${interval.unanswered} unanswered`,
  ].join("  ")}\n`;
}

/** Whether the run was as a soak has to be. Needs two intervals after the warm-up to tell of a trend. */
export function findingsOf(
  intervals: readonly Interval[],
  { charges, firstFault, rate }: Outcome,
): Finding[] {
  const lastSeconds = intervals.at(-1)?.atSeconds ?? 0;
  const warmSeconds = Math.min(WARM_SECONDS, lastSeconds / 2);
  const steady = intervals.filter(({ atSeconds }) => atSeconds > warmSeconds);
  const heap = trendOf(
    steady,
    ({ heap: { usedBytes, externalBytes } }) => usedBytes + externalBytes,
  );
  const p99 = trendOf(steady, ({ latency }) => latency.p99Ms);
  const heapGrowth = heap.last / heap.first - 1;
  const p99Most = Math.max(p99.first * (1 + MOST_P99_GROWTH), p99.first + P99_ROOM_MS);
  const { faults = 0, unanswered = 0 } = intervals.at(-1) ?? {};
  const { ledger, served, before, answered, left } = charges;
  const own = served - before;
  return [
    {
      text: `unanswered at the end: ${unanswered}   <= a second's ${rate.toFixed(0)}`,
      isMet: unanswered <= rate,
    },
    {
      text: `heap after ${warmSeconds} s: ${megabytes(heap.first)}, at the end ${megabytes(heap.last)}, ${(heapGrowth * 100).toFixed(1)} %   <= ${MOST_HEAP_GROWTH * 100} %`,
      isMet: Math.abs(heapGrowth) <= MOST_HEAP_GROWTH,
    },
    {
      text: `p99 after ${warmSeconds} s: ${ms(p99.first)}, at the end ${ms(p99.last)} ms   <= ${ms(p99Most)}`,
      isMet: p99.last <= p99Most,
    },
    {
      text: `faults: ${faults}${firstFault === null ? "" : `, the first: ${firstFault}`}   <= 0`,
      isMet: faults === 0,
    },
    {
      text: `credits: ${ledger} charged, ${served} served, ${before} of them before, ${answered} answered, ${left} of clients that left`,
      isMet: ledger === served && own >= answered && own <= answered + left,
    },
  ];
}

/** The middle of the first and of the last quarter. */
function trendOf(
  intervals: readonly Interval[],
  of: (interval: Interval) => number,
): { readonly first: number; readonly last: number } {
  const quarter = Math.max(1, Math.floor(intervals.length / 4));
  const middle = (some: readonly Interval[]) => median(some.map(of)) ?? 0;
  return { first: middle(intervals.slice(0, quarter)), last: middle(intervals.slice(-quarter)) };
}

const ms = (value: number): string => value.toFixed(2);
const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
