import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { BrowsersAnswer, BrowsersCommand } from "./browsers.ts";
import { type Cores, cpuTimeUs } from "./cpu.ts";
import { type Seen, sumOf } from "./dashboard.ts";
import type { ClosedResult, Faults, OpenResult } from "./generator.ts";
import { median } from "./histogram.ts";
import type { LoadAnswer, LoadCommand } from "./load.ts";
import { type Part, Processes } from "./processes.ts";
import { scenarioOf } from "./scenarios.ts";
import {
  createAccount,
  launchTollgate,
  type PreparedTollgate,
  prepareTollgate,
  signInLink,
} from "./tollgate.ts";

/** What open dashboards cost the calls of a gateway. */
export type Dashboards = {
  readonly dashboards: number;
  readonly closed: CallPath;
  readonly open: CallPath;
  /** CPU per call at full load, open to closed; null where /proc is absent. */
  readonly ratio: number | null;
  /**
   * What the gateway's process takes more of a core at the quiet rate while they are open; null where /proc is
   * absent. What a busy gateway's calls cost more says less: where its generator loses its core to the
   * dashboard, fewer calls come in one read, and each of them costs more.
   */
  readonly addedShare: number | null;
  /** What came to the dashboards while they were open. */
  readonly events: number;
  readonly answers: number;
  /** Calls that failed, streams that were lost, answers of the dashboard that were none. */
  readonly faults: Faults;
};

/** Medians. */
export type CallPath = {
  readonly callsPerSecond: number;
  /** Of the gateway's process alone. */
  readonly cpuUsPerCall: number | null;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of a core, that the gateway's process takes at the quiet rate: a mean. */
  readonly quietShare: number | null;
  /** Of a core, that the dashboard's process takes meanwhile. */
  readonly consoleShare: number | null;
};

export type DashboardsOptions = {
  /** The file that Node runs. */
  readonly program: string;
  /** Each of an account of its own that has calls, at most ten: sign-ins are limited. */
  readonly dashboards: number;
  /** So many of them are operators'. */
  readonly operators: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly maxBodies: number;
  readonly cores: Cores | null;
};

type Stage = {
  readonly gateway: Part;
  readonly generator: Part;
  readonly browsers: Part;
  /** Null where /proc is absent. */
  readonly consolePid: number | null;
  readonly port: number;
  readonly paths: readonly string[];
};

type Reading = {
  /** The dashboards; the loops of the same names are the generator's. */
  readonly isOpen: boolean;
  readonly closed: ClosedResult;
  readonly open: OpenResult;
  readonly quiet: OpenResult;
  readonly quietShare: number | null;
  readonly consoleShare: number | null;
  readonly seen: Seen;
};

const SCENARIO = scenarioOf("hit-number");
/** Calls a second of which the gateway has little to do, while dashboards have as much to show as ever. */
const QUIET_RATE = 100;
const CONSOLE_START_MS = 15_000;
const ASK_EVERY_MS = 50;

/** A gateway whose dashboard nobody has open, and many have, in turns; `stop` ends it early. */
export class DashboardsRun {
  readonly #options: DashboardsOptions;
  readonly #processes: Processes;
  #directory: string | null = null;
  #consolePid: number | null = null;

  constructor(options: DashboardsOptions) {
    this.#options = options;
    this.#processes = new Processes({ cores: options.cores });
  }

  /** Rejects where a process fails; `stop` is still to be called. */
  async run(): Promise<Dashboards> {
    const stage = await this.#start();
    await this.#load(stage, { rate: null, isPriming: true });
    const readings: Reading[] = [];
    // The first round is the compiler's.
    for (let round = 0; round <= this.#options.rounds; round += 1) {
      // Another one goes first in each round: what the machine does meanwhile happens to both.
      for (const isOpen of [round % 2 === 1, round % 2 === 0]) {
        readings.push(await this.#read(stage, isOpen));
      }
    }
    const of = (isOpen: boolean) =>
      callPathOf(readings.slice(2).filter((reading) => reading.isOpen === isOpen));
    const [closed, open] = [of(false), of(true)];
    const ratio = compared(closed.cpuUsPerCall, open.cpuUsPerCall, (us, usOpen) => usOpen / us);
    const addedShare = compared(closed.quietShare, open.quietShare, (of, ofOpen) => ofOpen - of);
    const { dashboards } = this.#options;
    return { dashboards, closed, open, ratio, addedShare, ...sumOf(readings.flatMap(seenOf)) };
  }

  /** The processes that run now, and the dashboard's. */
  pids(): number[] {
    return [...this.#processes.pids(), ...(this.#consolePid === null ? [] : [this.#consolePid])];
  }

  async stop(): Promise<void> {
    await this.#processes.stopAll();
    if (this.#directory !== null) await rm(this.#directory, { recursive: true, force: true });
  }

  async #start(): Promise<Stage> {
    const child = (script: string) => this.#processes.startChild("others", script);
    const nodePorts = [
      (await child("./stand-in-node.ts")).port,
      (await child("./stand-in-node.ts")).port,
    ];
    const generator = (await child("./load.ts")).part;
    const browsers = (await child("./browsers.ts")).part;
    this.#directory = await mkdtemp(join(tmpdir(), "tollgate-bench-"));
    const { program } = this.#options;
    const options = { program, directory: this.#directory, nodePorts, hasConsole: true };
    const prepared = await prepareTollgate(options);
    const { port } = prepared;
    const people = Array.from({ length: this.#options.dashboards }, (_, at) => ({
      email: `person-${at}@example.com`,
      isOperator: at < this.#options.operators,
    }));
    const keys = await Promise.all(people.map((person) => createAccount(prepared, person)));
    const paths = keys.map((key) => `/bench/v3/${key}`);
    const gateway = (await launchTollgate(this.#processes, prepared)).part;
    const consolePid = await this.#consoleOf(gateway, prepared);
    const links = await Promise.all(people.map(({ email }) => signInLink(prepared, email)));
    await tell(browsers, { links });
    return { gateway, generator, browsers, consolePid, port, paths };
  }

  /**
   * Resolves to the dashboard's process, once it serves. It has inherited the gateway's one core;
   * who runs a gateway has more, so that it goes to the others.
   */
  async #consoleOf(gateway: Part, { consolePort }: PreparedTollgate): Promise<number | null> {
    await serves(`http://127.0.0.1:${consolePort}/api/config`, gateway);
    if (cpuTimeUs(gateway.pid) === null) return null;
    const children = await readFile(`/proc/${gateway.pid}/task/${gateway.pid}/children`, "latin1");
    const pid = Number(children);
    if (!(pid > 0)) throw new Error(`the gateway was expected to have one child: "${children}"`);
    this.#consolePid = pid;
    const { cores } = this.#options;
    if (cores !== null) await promisify(execFile)("taskset", ["-acp", cores.others, String(pid)]);
    return pid;
  }

  async #read(stage: Stage, isOpen: boolean): Promise<Reading> {
    if (isOpen) await tell(stage.browsers, { open: true });
    const { consolePid, gateway, browsers } = stage;
    const ofConsole = shareSince(consolePid);
    const closed = (await this.#load(stage, { rate: null })) as ClosedResult;
    const open = (await this.#load(stage, { rate: SCENARIO.rate })) as OpenResult;
    const ofGateway = shareSince(gateway.pid);
    const quiet = (await this.#load(stage, { rate: QUIET_RATE })) as OpenResult;
    const [quietShare, consoleShare] = [ofGateway(), ofConsole()];
    const seen = await tell(browsers, { open: false });
    return { isOpen, closed, open, quiet, quietShare, consoleShare, seen };
  }

  async #load(
    { generator, gateway, port, paths }: Stage,
    loop: { readonly rate: number | null; readonly isPriming?: boolean },
  ): Promise<ClosedResult | OpenResult> {
    const { seconds, maxBodies } = this.#options;
    const command: LoadCommand = {
      ...{ scenario: SCENARIO.name, address: { port, path: "/" }, pid: gateway.pid },
      ...{ seconds, maxBodies, isPriming: false, keys: null, paths, ...loop },
      // The dashboard and its people share its cores.
      maySleep: true,
    };
    const answer = (await generator.ask([command])) as LoadAnswer;
    const [result] = "results" in answer ? answer.results : [];
    if (result !== undefined) return result;
    const fault = "fault" in answer ? answer.fault : "no result";
    throw new Error(`dashboards, ${fault}${gateway.stderr()}`);
  }
}

/** Begins to look; what it returns tells of which part of a core a process took since, null where that is unknown. */
function shareSince(pid: number | null): () => number | null {
  const cpuUs = () => (pid === null ? null : cpuTimeUs(pid));
  const [begunMs, beforeUs] = [performance.now(), cpuUs()];
  return () => {
    const afterUs = cpuUs();
    if (beforeUs === null || afterUs === null) return null;
    return (afterUs - beforeUs) / (performance.now() - begunMs) / 1000;
  };
}

function callPathOf(readings: readonly Reading[]): CallPath {
  const middle = (of: (reading: Reading) => number | null) =>
    median(readings.flatMap((reading) => of(reading) ?? []));
  return {
    callsPerSecond: middle(({ closed }) => closed.callsPerSecond) ?? 0,
    cpuUsPerCall: middle(({ closed }) => closed.cpuUs),
    p50Ms: middle(({ open }) => open.p50Ms) ?? 0,
    p99Ms: middle(({ open }) => open.p99Ms) ?? 0,
    // A second's is known to a hundredth.
    quietShare: mean(readings.flatMap(({ quietShare }) => quietShare ?? [])),
    consoleShare: middle(({ consoleShare }) => consoleShare),
  };
}

/** What came to the dashboards, and the calls' faults. */
function seenOf({ closed, open, quiet, seen }: Reading): Seen[] {
  const loops = [closed, open, quiet].map(({ faults }) => ({ events: 0, answers: 0, faults }));
  return [seen, ...loops];
}

function compared(
  closed: number | null,
  open: number | null,
  by: (closed: number, open: number) => number,
): number | null {
  return closed === null || open === null ? null : by(closed, open);
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

async function tell(browsers: Part, command: BrowsersCommand): Promise<Seen> {
  const answer = (await browsers.ask(command)) as BrowsersAnswer;
  if ("seen" in answer) return answer.seen;
  throw new Error(`dashboards, ${answer.fault}`);
}

async function serves(url: string, gateway: Part): Promise<void> {
  const deadline = performance.now() + CONSOLE_START_MS;
  while (performance.now() < deadline && !gateway.ended()) {
    if (await isServed(url)) return;
    await sleep(ASK_EVERY_MS);
  }
  throw new Error(`the dashboard does not answer: ${gateway.stderr()}`);
}

async function isServed(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}
