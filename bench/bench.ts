import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Cores } from "./cpu.ts";
import type { ClosedResult, OpenResult } from "./generator.ts";
import type { ClientCounts, LoadAnswer, LoadCommand, LoadReady } from "./load.ts";
import { memoryBytes } from "./memory.ts";
import { type Part, Processes } from "./processes.ts";
import { type Scenario, type ScenarioName, type SubjectName, scenarioOf } from "./scenarios.ts";
import { writeLedger } from "./slot-chain.ts";
import { type BenchDatabase, type StorageCost, statementsOf } from "./storage-cost.ts";
import { startTollgate, type TollgateOptions } from "./tollgate.ts";

export type BenchOptions = {
  /** The file that Node runs, of Tollgate. */
  readonly program: string;
  readonly subjects: readonly SubjectName[];
  readonly scenarios: readonly Scenario[];
  readonly rounds: number;
  /** Of each loop; the warm-up of each pair takes a third of what its rounds take. */
  readonly seconds: number;
  /** The most bodies that one loop sends, whatever its time. */
  readonly maxBodies: number;
  readonly cores: Cores | null;
  /** How many keys call where many do. */
  readonly keys: number;
  /** Before memory is read: until what was freed has gone back to the system. */
  readonly settleMs: number;
  /** Of the subject `tollgate-postgres`. */
  readonly database?: Pick<BenchDatabase, "url" | "cpuUs">;
  /** Of the subject `tollgate-traced`. */
  readonly traces?: TollgateOptions["traces"];
};

/** What reached the nodes meanwhile, for each call of a loop. */
export type Upstream = { readonly calls: number; readonly requests: number };

/** Resident memory of Tollgate; null where it was not measured. */
export type Memory = { readonly idleBytes: number | null; readonly afterBytes: number | null };

/** One subject in one scenario, and what each round measured of it. */
export type Pair = {
  readonly subject: SubjectName;
  readonly scenario: ScenarioName;
  readonly closed: (ClosedResult & { readonly upstream: Upstream })[];
  readonly open: OpenResult[];
  /** Of each loop, where the storage is PostgreSQL. */
  readonly storage?: { readonly closed: StorageCost[]; readonly open: StorageCost[] };
};

type Subject = {
  readonly part: Part;
  readonly port: number;
  readonly path: (s: Scenario) => string;
  /** Of Tollgate. */
  readonly adminPort?: number;
};

type Stage = {
  readonly subjects: ReadonlyMap<SubjectName, Subject>;
  readonly generator: Part;
};

type LoopResult = {
  readonly result: ClosedResult | OpenResult;
  readonly upstream: ClientCounts;
};

type LoopOptions = Pick<LoadCommand, "rate" | "isOfEveryKey"> & {
  readonly isPriming?: boolean;
  /** As the options say unless it is given. */
  readonly seconds?: number;
};

/** Of a closed loop's time: what rested meanwhile first finds back into the caches, uncounted. */
export const WARM_UP = 0.2;

/** A run that can be ended early: `stop` ends every process and removes the temporary folder. */
export class Bench {
  readonly #options: BenchOptions;
  readonly #processes: Processes;
  readonly #directories: string[] = [];
  #memory: Memory = { idleBytes: null, afterBytes: null };

  constructor(options: BenchOptions) {
    this.#options = options;
    this.#processes = new Processes({ cores: options.cores });
  }

  /** Measures every pair. Rejects where a process fails; `stop` is still to be called. */
  async run(): Promise<Pair[]> {
    const { rounds, scenarios, subjects } = this.#options;
    const pairs = pairsOf(scenarios, subjects);
    const stage = await this.#start(pairs);
    const idleBytes = await this.#memoryOf(stage);
    for (const pair of pairs) {
      await this.#meetEveryKey(stage, pair);
      for (let loop = 0; loop < rounds; loop += 3) await this.#closedLoop(stage, pair);
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const pair of repeated(rotated(pairs, round))) {
        // Both ends of a direct call share the cores, so that its CPU would be nobody's.
        if (pair.subject !== "direct") pair.closed.push(await this.#closedLoop(stage, pair));
        const { rate } = scenarioOf(pair.scenario);
        if (rate === null) continue;
        const { result } = await this.#costing(stage, pair, { rate });
        pair.open.push(result as OpenResult);
      }
    }
    this.#memory = { idleBytes, afterBytes: await this.#memoryOf(stage) };
    return pairs;
  }

  /** Of a run that has ended. */
  get memory(): Memory {
    return this.#memory;
  }

  /** The processes that run now. */
  pids(): number[] {
    return this.#processes.pids();
  }

  async stop(): Promise<void> {
    await this.#processes.stopAll();
    for (const path of this.#directories) await rm(path, { recursive: true, force: true });
  }

  async #start(pairs: readonly Pair[]): Promise<Stage> {
    const generator = await this.#processes.startChild<LoadReady>("others", "./load.ts", "2");
    const [first = 0, second = 0] = generator.nodePorts;
    const subjects = new Map<SubjectName, Subject>();
    for (const name of new Set(pairs.map((pair) => pair.subject))) {
      subjects.set(name, await this.#startSubject(name, [first, second]));
    }
    return { subjects, generator: generator.part };
  }

  async #startSubject(name: SubjectName, nodePorts: readonly [number, number]): Promise<Subject> {
    const path = ({ answer }: Scenario) => `/${answer}`;
    switch (name) {
      case "tollgate":
        return this.#startTollgate(nodePorts);
      case "tollgate-postgres":
        return this.#startTollgate(nodePorts, { storageUrl: this.#options.database?.url });
      case "tollgate-traced":
        return this.#startTollgate(nodePorts, { traces: this.#options.traces });
      case "direct":
      case "node": {
        const place = name === "node" ? "subject" : "others";
        return { ...(await this.#processes.startChild(place, "./stand-in-node.ts")), path };
      }
      default: {
        const args = [name, String(nodePorts[0])];
        return { ...(await this.#processes.startChild("subject", "./floors.ts", ...args)), path };
      }
    }
  }

  async #startTollgate(
    nodePorts: readonly [number, number],
    {
      storageUrl,
      traces,
    }: { readonly storageUrl?: string | undefined } & Pick<BenchOptions, "traces"> = {},
  ): Promise<Subject> {
    const { program, scenarios, keys } = this.#options;
    const isCalled = (network: Scenario["network"]) =>
      scenarios.some((scenario) => scenario.network === network);
    const directory = await mkdtemp(join(tmpdir(), "tollgate-bench-"));
    this.#directories.push(directory);
    const ledger = join(directory, "ledger");
    if (isCalled("ledger")) await writeLedger(ledger);
    const slots = { nodePorts, ...(isCalled("ledger") ? { ledger } : {}) };
    const { part, port, adminPort, key } = await startTollgate(this.#processes, {
      program,
      directory,
      nodePorts,
      ...(storageUrl === undefined ? {} : { storageUrl }),
      ...(traces === undefined ? {} : { traces }),
      ...(isCalled("slots") || isCalled("ledger") ? { slots } : {}),
      ...(isCalled("many") ? { keys } : {}),
      isBatched: isCalled("batched"),
      pinned: "when ready",
    });
    const path = ({ protocol, network }: Scenario) =>
      protocol === "http" ? `/${network}/v3/${key}` : `/${network}/ws/v3/${key}`;
    return { part, port, adminPort, path };
  }

  /** A key's first call is a question to the store; what is measured are the calls after it. */
  async #meetEveryKey(stage: Stage, { subject, scenario }: Pair): Promise<void> {
    if (!isTollgate(subject) || scenarioOf(scenario).network !== "many") return;
    const pair = { subject, scenario, closed: [], open: [] };
    const { faults } = (await this.#loop(stage, pair, { rate: null, isOfEveryKey: true })).result;
    if (faults.count > 0) throw new Error(`${scenario}, a key's first call: ${faults.first}`);
  }

  /** With what reached the nodes on behalf of its calls. */
  async #closedLoop(stage: Stage, pair: Pair): Promise<Pair["closed"][number]> {
    const { primed } = scenarioOf(pair.scenario);
    if (primed > 0 && isTollgate(pair.subject)) {
      const { faults } = (await this.#loop(stage, pair, { rate: null, isPriming: true })).result;
      if (faults.count > 0)
        throw new Error(`${pair.scenario} could not be primed: ${faults.first}`);
    }
    await this.#loop(stage, pair, { rate: null, seconds: this.#options.seconds * WARM_UP });
    const loop = await this.#costing(stage, pair, { rate: null });
    const result = loop.result as ClosedResult;
    const calls = loop.upstream.calls / result.calls;
    const requests = loop.upstream.carriers / result.calls;
    return { ...result, upstream: { calls, requests } };
  }

  /** Notes what the loop cost PostgreSQL. */
  async #costing(stage: Stage, pair: Pair, options: LoopOptions): Promise<LoopResult> {
    const { database } = this.#options;
    const { adminPort } = stage.subjects.get(pair.subject) ?? {};
    if (pair.storage === undefined || database === undefined || adminPort === undefined)
      return this.#loop(stage, pair, options);
    const [statementsBefore, usBefore] = [await statementsOf(adminPort), database.cpuUs()];
    const begunMs = performance.now();
    const loop = await this.#loop(stage, pair, options);
    const seconds = (performance.now() - begunMs) / 1000;
    const statements = (await statementsOf(adminPort)) - statementsBefore;
    const usAfter = database.cpuUs();
    const databaseUs = usBefore === null || usAfter === null ? null : usAfter - usBefore;
    const { calls } = loop.result;
    const kind = options.rate === null ? "closed" : "open";
    pair.storage[kind].push({ calls, seconds, statements, databaseUs });
    return loop;
  }

  async #loop(
    stage: Stage,
    pair: Pair,
    { rate, isPriming = false, isOfEveryKey = false, seconds = this.#options.seconds }: LoopOptions,
  ): Promise<LoopResult> {
    const { maxBodies, keys, cores } = this.#options;
    const subject = stage.subjects.get(pair.subject);
    if (subject === undefined) throw new Error(`${pair.subject} was not started`);
    const scenario = scenarioOf(pair.scenario);
    const hasMany = scenario.network === "many" && isTollgate(pair.subject);
    const command: LoadCommand = {
      scenario: pair.scenario,
      address: { port: subject.port, path: subject.path(scenario) },
      pid: subject.part.pid,
      ...{ seconds, maxBodies, rate, isPriming, isOfEveryKey, keys: hasMany ? keys : null },
      // Without cores of their own, what it saves the subject in waking it takes in time.
      maySleep: cores === null,
    };
    const answer = (await stage.generator.ask([command])) as LoadAnswer;
    if ("fault" in answer) {
      throw new Error(`${pair.subject}, ${answer.fault}${subject.part.stderr()}`);
    }
    const { results, upstream } = answer;
    return { result: results[0] as ClosedResult | OpenResult, upstream };
  }

  async #memoryOf({ subjects }: Stage): Promise<number | null> {
    const tollgate = subjects.get("tollgate");
    if (tollgate === undefined) return null;
    await sleep(this.#options.settleMs);
    return memoryBytes(tollgate.part.pid, "VmRSS");
  }
}

const TOLLGATES = ["tollgate", "tollgate-postgres", "tollgate-traced"] as const;
const isTollgate = (subject: SubjectName): boolean =>
  (TOLLGATES as readonly string[]).includes(subject);

/** What has to be measured: what each scenario is held against, and Tollgate, each pair once. */
export function pairsOf(scenarios: readonly Scenario[], subjects: readonly SubjectName[]): Pair[] {
  const pairs = new Map<string, Pair>();
  for (const { name, floor, beside, addedP50 } of scenarios) {
    const others = [...beside, ...(addedP50 === null ? [] : ["direct" as const]), ...TOLLGATES];
    const floors = floor === null ? [] : [floor];
    for (const pair of [...floors, ...others.map((subject) => ({ subject, scenario: name }))]) {
      const key = `${pair.subject} ${pair.scenario}`;
      if (!subjects.includes(pair.subject) || pairs.has(key)) continue;
      const storage =
        pair.subject === "tollgate-postgres" ? { storage: { closed: [], open: [] } } : {};
      pairs.set(key, { ...pair, closed: [], open: [], ...storage });
    }
  }
  return [...pairs.values()];
}

/** Another pair goes first in each round, so that no one always meets the machine in the same state. */
/** All of them in turn, then again those that are measured more than once in each round. */
function repeated(pairs: readonly Pair[]): Pair[] {
  const times = pairs.map((pair) => scenarioOf(pair.scenario).repeats);
  return Array.from({ length: Math.max(...times) }, (_, repeat) =>
    pairs.filter((_pair, at) => (times[at] ?? 0) > repeat),
  ).flat();
}

function rotated<T>(items: readonly T[], by: number): T[] {
  const at = by % Math.max(1, items.length);
  return [...items.slice(at), ...items.slice(0, at)];
}
