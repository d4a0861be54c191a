import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Cores } from "./cpu.ts";
import type { ClosedResult, OpenResult } from "./generator.ts";
import type { LoadAnswer, LoadCommand } from "./load.ts";
import { type Part, Processes } from "./processes.ts";
import { type Scenario, type ScenarioName, type SubjectName, scenarioOf } from "./scenarios.ts";
import { writeLedger } from "./slot-chain.ts";
import { startTollgate } from "./tollgate.ts";

export type BenchOptions = {
  readonly subjects: readonly SubjectName[];
  readonly scenarios: readonly Scenario[];
  readonly rounds: number;
  /** Of each loop; the warm-up of each pair takes as long once more. */
  readonly seconds: number;
  /** The most bodies that one loop sends, whatever its time. */
  readonly maxBodies: number;
  readonly cores: Cores | null;
};

/** One subject in one scenario, and what each round measured of it. */
export type Pair = {
  readonly subject: SubjectName;
  readonly scenario: ScenarioName;
  readonly closed: ClosedResult[];
  readonly open: OpenResult[];
};

type Subject = {
  readonly part: Part;
  readonly port: number;
  readonly path: (s: Scenario) => string;
};

/** What stands between two scenarios' loops and their subjects. */
type Stage = { readonly subjects: ReadonlyMap<SubjectName, Subject>; readonly generator: Part };

/** A run that can be ended early: `stop` ends every process and removes the temporary folder. */
export class Bench {
  readonly #options: BenchOptions;
  readonly #processes: Processes;
  #directory: string | null = null;

  constructor(options: BenchOptions) {
    this.#options = options;
    this.#processes = new Processes({ cores: options.cores });
  }

  /** Measures every pair. Rejects where a process fails; `stop` is still to be called. */
  async run(): Promise<Pair[]> {
    const { rounds, seconds, scenarios, subjects } = this.#options;
    const pairs = pairsOf(scenarios, subjects);
    const stage = await this.#start(pairs);
    for (const pair of pairs) await this.#loop(stage, pair, { seconds, rate: null });
    for (let round = 0; round < rounds; round += 1) {
      for (const pair of rotated(pairs, round)) {
        pair.closed.push((await this.#loop(stage, pair, { seconds, rate: null })) as ClosedResult);
        const { rate } = scenarioOf(pair.scenario);
        if (rate === null) continue;
        pair.open.push((await this.#loop(stage, pair, { seconds, rate })) as OpenResult);
      }
    }
    return pairs;
  }

  /** The processes that run now. */
  pids(): number[] {
    return this.#processes.pids();
  }

  async stop(): Promise<void> {
    await this.#processes.stopAll();
    if (this.#directory !== null) await rm(this.#directory, { recursive: true, force: true });
  }

  async #start(pairs: readonly Pair[]): Promise<Stage> {
    const nodes = [
      await this.#processes.startChild("others", "./stand-in-node.ts"),
      await this.#processes.startChild("others", "./stand-in-node.ts"),
    ];
    const generator = await this.#processes.startChild("others", "./load.ts");
    const subjects = new Map<SubjectName, Subject>();
    for (const name of new Set(pairs.map((pair) => pair.subject))) {
      const [first = 0, second = 0] = nodes.map(({ port }) => port);
      subjects.set(name, await this.#startSubject(name, [first, second]));
    }
    return { subjects, generator: generator.part };
  }

  async #startSubject(name: SubjectName, nodePorts: readonly [number, number]): Promise<Subject> {
    if (name !== "tollgate") {
      const args = [name, String(nodePorts[0])];
      const floor = await this.#processes.startChild("subject", "./floors.ts", ...args);
      return { ...floor, path: () => "/" };
    }
    this.#directory = await mkdtemp(join(tmpdir(), "tollgate-bench-"));
    const ledger = join(this.#directory, "ledger");
    await writeLedger(ledger);
    const { part, port, key } = await startTollgate(this.#processes, {
      directory: this.#directory,
      nodePorts: nodePorts.slice(0, 1),
      slots: { nodePorts, ledger },
    });
    const path = ({ protocol, network }: Scenario) =>
      protocol === "http" ? `/${network}/v3/${key}` : `/${network}/ws/v3/${key}`;
    return { part, port, path };
  }

  async #loop(
    stage: Stage,
    pair: Pair,
    loop: { readonly seconds: number; readonly rate: number | null },
  ): Promise<ClosedResult | OpenResult> {
    const subject = stage.subjects.get(pair.subject);
    if (subject === undefined) throw new Error(`${pair.subject} was not started`);
    const path = subject.path(scenarioOf(pair.scenario));
    const command: LoadCommand = {
      ...loop,
      scenario: pair.scenario,
      address: { port: subject.port, path },
      pid: subject.part.pid,
      maxBodies: this.#options.maxBodies,
    };
    const answer = (await stage.generator.ask([command])) as LoadAnswer;
    const [result] = "results" in answer ? answer.results : [];
    if (result !== undefined) return result;
    const fault = "fault" in answer ? answer.fault : "no result";
    throw new Error(`${pair.subject}, ${fault}${subject.part.stderr()}`);
  }
}

/** What has to be measured: each scenario's floor and Tollgate, each pair once. */
export function pairsOf(scenarios: readonly Scenario[], subjects: readonly SubjectName[]): Pair[] {
  const pairs = new Map<string, Pair>();
  for (const { name, floor } of scenarios) {
    const floors = floor === null ? [] : [floor];
    for (const pair of [...floors, { subject: "tollgate" as const, scenario: name }]) {
      const key = `${pair.subject} ${pair.scenario}`;
      if (!subjects.includes(pair.subject) || pairs.has(key)) continue;
      pairs.set(key, { ...pair, closed: [], open: [] });
    }
  }
  return [...pairs.values()];
}

/** Another pair goes first in each round, so that no one always meets the machine in the same state. */
function rotated<T>(items: readonly T[], by: number): T[] {
  const at = by % Math.max(1, items.length);
  return [...items.slice(at), ...items.slice(0, at)];
}
