import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Cores, cpuTimeUs } from "./cpu.ts";
import { Inspector } from "./inspector.ts";
import type { LoadReady } from "./load.ts";
import { memoryBytes } from "./memory.ts";
import { type Part, Processes } from "./processes.ts";
import type { SoakReport } from "./soak-clients.ts";
import type { SoakCommand } from "./soak-load.ts";
import type { Charges, Interval } from "./soak-report.ts";
import { launchTollgate, prepareTollgate, type RunningTollgate, usageOfToday } from "./tollgate.ts";

export type SoakOptions = {
  /** The file that Node runs. */
  readonly program: string;
  readonly seconds: number;
  /** Of what the gateway was measured to take. */
  readonly share: number;
  readonly cores: Cores | null;
  readonly intervalSeconds: number;
  /** How long each step takes that measures what the gateway takes, after as long a warm-up. */
  readonly saturateSeconds: number;
};

export type Soak = {
  /** Requests a second that it took, and that it was sent. */
  readonly capacity: number;
  readonly rate: number;
  readonly intervals: readonly Interval[];
  readonly charges: Charges;
  readonly requests: number;
  readonly connections: number;
  readonly firstFault: string | null;
};

type Stage = {
  readonly gateway: RunningTollgate;
  readonly inspector: Inspector;
  readonly ask: (command: SoakCommand) => Promise<SoakReport>;
};

const BLOCK_MS = 2000;
const KEYS = 100;
/** Filled within the first minutes, so that what grows after them is none of the cache's. */
const CACHE_BYTES = 33_554_432;
/** More than there are connections, so that none of them is ever idle. */
const SATURATING_IN_AIR = 96;
/** How often the gateway's share of its core is looked at before its capacity is called known. */
const CAPACITY_LOOKS = 4;
/**
 * After a forced collection what had to wait for it is done first, which takes a gateway that is 80 %
 * busy four times as long as the collection: until no more is unanswered than when all is well.
 */
const SETTLED_IN_AIR = 32;
const DRAIN_STEP_MS = 100;
const MOST_DRAIN_MS = 5000;
/** The ledger is exact so long after the last call. */
const SETTLE_MS = 2500;
const CREDITS = /^tollgate_credits_total\{[^}]*\} (\d+)$/gm;

/** One run; `stop` ends it early. */
export class SoakRun {
  readonly #options: SoakOptions;
  readonly #processes: Processes;
  #directory: string | null = null;

  constructor(options: SoakOptions) {
    this.#options = options;
    this.#processes = new Processes({ cores: options.cores });
  }

  /** Rejects where a process fails; `stop` is still to be called. */
  async run(listeners: {
    readonly onCapacity: (perSecond: number) => void;
    readonly onInterval: (interval: Interval) => void;
  }): Promise<Soak> {
    const stage = await this.#start();
    const before = await servedBy(stage);
    const { share, saturateSeconds: seconds, intervalSeconds } = this.#options;
    const saturate = { kind: "saturate", seconds, inAir: SATURATING_IN_AIR } as const;
    await stage.ask(saturate);
    const begunWith = await stage.ask({ kind: "resume" });
    const most = ((await stage.ask(saturate)).bodies - begunWith.bodies) / seconds;
    const capacity = await capacityOf(stage, { most, seconds });
    listeners.onCapacity(capacity);
    const rate = capacity * share;
    await stage.ask({ kind: "begin", perSecond: rate });
    const intervals: Interval[] = [];
    const begun = performance.now();
    let last = momentOf(stage, await stage.ask({ kind: "resume" }));
    while (performance.now() - begun < this.#options.seconds * 1000) {
      await sleep(intervalSeconds * 1000);
      const report = await stage.ask({ kind: "pause" });
      const now = momentOf(stage, report);
      const interval = await look(stage, { now, last, begun });
      last = now;
      intervals.push(interval);
      listeners.onInterval(interval);
    }
    const { bodies, connections, firstFault, credits, leftCredits } = await stage.ask({
      kind: "end",
    });
    const charged = await chargedBy(stage);
    return {
      ...{ capacity, rate, intervals, connections, firstFault, requests: bodies },
      charges: { ...charged, before, answered: credits, left: leftCredits },
    };
  }

  async stop(): Promise<void> {
    await this.#processes.stopAll();
    if (this.#directory !== null) await rm(this.#directory, { recursive: true, force: true });
  }

  async #start(): Promise<Stage> {
    const chain = ["2", String(Date.now()), String(BLOCK_MS)];
    const load = await this.#processes.startChild<LoadReady>("others", "./soak-load.ts", ...chain);
    const { nodePorts } = load;
    this.#directory = await mkdtemp(join(tmpdir(), "tollgate-soak-"));
    const { program } = this.#options;
    const own = { program, directory: this.#directory, nodePorts, isBatched: true };
    const prepared = await prepareTollgate({ ...own, keys: KEYS, cacheBytes: CACHE_BYTES });
    const gateway = await launchTollgate(this.#processes, prepared, {
      flags: ["--inspect=127.0.0.1:0"],
    });
    const ask = asking(load.part);
    await ask({ kind: "open", port: gateway.port, keys: KEYS });
    return { gateway, inspector: await Inspector.ofProgram(gateway.part.stderr()), ask };
  }
}

function asking(part: Part): Stage["ask"] {
  return async (command) => (await part.ask(command)) as SoakReport;
}

/**
 * Requests a second that the whole takes: what would keep the gateway's core busy, by its share of the
 * core at half of the `most` that goes through, but no more than that `most`. Clients and nodes, which
 * share a core, may be what limits it; and of a gateway that is never idle its share of the core tells
 * less than it costs when it has to be woken. The least of several looks: of a machine that swings by a
 * quarter, 80 % of a fast minute are all that a slow one has.
 */
async function capacityOf(
  { gateway, ask }: Stage,
  { most, seconds }: { readonly most: number; readonly seconds: number },
): Promise<number> {
  const perSecond = most / 2;
  await ask({ kind: "begin", perSecond });
  let least = most;
  for (let look = 0; look < CAPACITY_LOOKS; look += 1) {
    const begun = performance.now();
    const beforeUs = cpuTimeUs(gateway.part.pid);
    await sleep(seconds * 1000);
    const afterUs = cpuTimeUs(gateway.part.pid);
    const tookUs = (performance.now() - begun) * 1000;
    if (beforeUs === null || afterUs === null || afterUs <= beforeUs) continue;
    least = Math.min(least, (perSecond * tookUs) / (afterUs - beforeUs));
  }
  return least;
}

/** What had been by the beginning of an interval, or by its end. */
type Moment = { readonly report: SoakReport; readonly atMs: number; readonly cpuUs: number | null };

function momentOf({ gateway }: Stage, report: SoakReport): Moment {
  return { report, atMs: performance.now(), cpuUs: cpuTimeUs(gateway.part.pid) };
}

/** Collects garbage while latency is not counted, and lets it be counted again. */
async function look(
  { gateway, inspector, ask }: Stage,
  { now, last, begun }: { readonly now: Moment; readonly last: Moment; readonly begun: number },
): Promise<Interval> {
  const delay = await inspector.loopDelay();
  const heap = await inspector.heap();
  await drained(ask, Math.max(now.report.unanswered, SETTLED_IN_AIR));
  await inspector.loopDelay();
  await ask({ kind: "resume" });
  const { p50Ms, p99Ms, maxMs, faults, unanswered, bodies } = now.report;
  const elapsedMs = now.atMs - last.atMs;
  const cpuUs = now.cpuUs === null || last.cpuUs === null ? null : now.cpuUs - last.cpuUs;
  return {
    atSeconds: Math.round((now.atMs - begun) / 1000),
    perSecond: ((bodies - last.report.bodies) / elapsedMs) * 1000,
    latency: { p50Ms, p99Ms, maxMs },
    ...{ heap, delay, faults, unanswered },
    cpuShare: cpuUs === null ? null : cpuUs / 1000 / elapsedMs,
    residentBytes: memoryBytes(gateway.part.pid, "VmRSS"),
  };
}

/** While latency is not counted. */
async function drained(ask: Stage["ask"], most: number): Promise<void> {
  const deadline = performance.now() + MOST_DRAIN_MS;
  let unanswered = Number.POSITIVE_INFINITY;
  while (unanswered > most && performance.now() < deadline) {
    await sleep(DRAIN_STEP_MS);
    ({ unanswered } = await ask({ kind: "pause" }));
  }
}

/** Once everything has settled; ends the gateway. */
async function chargedBy(stage: Stage): Promise<Pick<Charges, "ledger" | "served">> {
  await sleep(SETTLE_MS);
  const served = await servedBy(stage);
  stage.inspector.close();
  await stage.gateway.part.stop();
  return { served, ledger: (await usageOfToday(stage.gateway)).used };
}

async function servedBy({ gateway }: Stage): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${gateway.adminPort}/metrics`);
  let served = 0;
  for (const [, credits] of (await response.text()).matchAll(CREDITS)) served += Number(credits);
  return served;
}
