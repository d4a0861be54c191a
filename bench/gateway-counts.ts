import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BenchOptions, WARM_UP } from "./bench.ts";
import { type Cores, cpuTimeUs } from "./cpu.ts";
import type { ClosedResult, Faults } from "./generator.ts";
import type { LoadAnswer, LoadCommand, LoadReady } from "./load.ts";
import { type Part, Processes } from "./processes.ts";
import { shown } from "./report.ts";
import type { ScenarioName } from "./scenarios.ts";
import { BenchDatabase } from "./storage-cost.ts";
import { launchTollgate, prepareBeside, type RunningTollgate, startTollgate } from "./tollgate.ts";

export type GatewayCountsOptions = Pick<
  BenchOptions,
  "program" | "rounds" | "seconds" | "maxBodies"
> & {
  readonly gateways: number;
  readonly cores: Cores | null;
};

/** CPU microseconds of a call; null where /proc is absent. */
export type GatewayCounts = {
  readonly scenario: ScenarioName;
  readonly gateways: number;
  /** Of one gateway that is called alone. */
  readonly ofOne: number | null;
  /** Of all together, each of which is called in turn. */
  readonly ofAll: number | null;
  readonly faults: Faults;
};

const MEASURED: readonly ScenarioName[] = ["hit-number", "forward"];
/** Of as many gateways' calls as there are gateways: the least that they serve for the same CPU a call. */
const LEAST_SHARE = 0.95;

/** Several gateways on one database, which one key calls in turn, and one of them alone; `stop` ends it early. */
export class GatewayCountsRun {
  readonly #options: GatewayCountsOptions;
  readonly #processes: Processes;
  #database: BenchDatabase | undefined;
  #directory: string | undefined;

  constructor(options: GatewayCountsOptions) {
    this.#options = options;
    this.#processes = new Processes({ cores: options.cores });
  }

  /** Rejects where a process fails; `stop` is still to be called. */
  async run(): Promise<GatewayCounts[]> {
    const { program, cores, rounds } = this.#options;
    this.#database = await BenchDatabase.start(cores);
    this.#directory = await mkdtemp(join(tmpdir(), "tollgate-bench-"));
    const generator = await this.#processes.startChild<LoadReady>("others", "./load.ts", "1");
    const first = await startTollgate(this.#processes, {
      ...{ program, directory: this.#directory, nodePorts: generator.nodePorts },
      ...{ storageUrl: this.#database.url, pinned: "when ready" },
    });
    const gateways = [first];
    while (gateways.length < this.#options.gateways) {
      const prepared = await prepareBeside(first);
      gateways.push(await launchTollgate(this.#processes, prepared, { pinned: "when ready" }));
    }
    const found: GatewayCounts[] = [];
    for (const scenario of MEASURED) {
      const loops = new Loops(generator.part, { ...this.#options, scenario });
      for (const gateway of gateways) await loops.warmUp(gateway);
      const [one, all] = [new Sum(), new Sum()];
      for (let round = 0; round < rounds; round += 1) {
        await loops.inTurn(gateways, gateways, all);
        // As often as each of the others, so that the machine has changed as much.
        for (const _ of gateways) await loops.inTurn([first], [first], one);
      }
      found.push({
        ...{ scenario, gateways: gateways.length },
        ...{ ofOne: one.usPerCall, ofAll: all.usPerCall },
        faults: all.faults.count > 0 ? all.faults : one.faults,
      });
    }
    return found;
  }

  async stop(): Promise<void> {
    await this.#processes.stopAll();
    await this.#database?.stop();
    if (this.#directory !== undefined) await rm(this.#directory, { recursive: true, force: true });
    this.#directory = undefined;
    this.#database = undefined;
  }
}

class Sum {
  calls = 0;
  cpuUs: number | null = 0;
  faults: Faults = { count: 0, first: null };

  get usPerCall(): number | null {
    return this.cpuUs === null || this.calls === 0 ? null : this.cpuUs / this.calls;
  }
}

class Loops {
  readonly #generator: Part;
  readonly #options: GatewayCountsOptions & { readonly scenario: ScenarioName };

  constructor(
    generator: Part,
    options: GatewayCountsOptions & { readonly scenario: ScenarioName },
  ) {
    this.#generator = generator;
    this.#options = options;
  }

  /** With the answers that the scenario finds, and for as long as each pair of the other scenarios. */
  async warmUp(gateway: RunningTollgate): Promise<void> {
    const { faults } = await this.#loop(gateway, { isPriming: true });
    if (faults.count > 0) throw new Error(`a gateway could not be primed: ${faults.first}`);
    for (let loop = 0; loop < this.#options.rounds; loop += 3) await this.#loop(gateway, {});
  }

  /** A loop of each of the called, of which the calls are counted, and the CPU of all of `counted`. */
  async inTurn(
    called: readonly RunningTollgate[],
    counted: readonly RunningTollgate[],
    sum: Sum,
  ): Promise<void> {
    for (const gateway of called) {
      await this.#loop(gateway, { seconds: this.#options.seconds * WARM_UP });
      const before = cpuOf(counted);
      const { calls, faults } = await this.#loop(gateway, {});
      const after = cpuOf(counted);
      sum.calls += calls;
      sum.cpuUs =
        sum.cpuUs === null || before === null || after === null ? null : sum.cpuUs + after - before;
      if (faults.count > 0 && sum.faults.count === 0) sum.faults = faults;
    }
  }

  async #loop(
    { part, port, key }: RunningTollgate,
    options: { readonly isPriming?: boolean; readonly seconds?: number },
  ): Promise<ClosedResult> {
    const { cores, maxBodies, scenario } = this.#options;
    const { isPriming = false, seconds = this.#options.seconds } = options;
    const command: LoadCommand = {
      ...{ scenario, address: { port, path: `/bench/v3/${key}` }, pid: part.pid },
      ...{ seconds, maxBodies, rate: null, isPriming, keys: null },
      maySleep: cores === null,
    };
    const answer = (await this.#generator.ask([command])) as LoadAnswer;
    if ("fault" in answer) throw new Error(`${answer.fault}${part.stderr()}`);
    return answer.results[0] as ClosedResult;
  }
}

function cpuOf(gateways: readonly RunningTollgate[]): number | null {
  const all = gateways.map(({ part }) => cpuTimeUs(part.pid));
  return all.reduce((sum, one) => (sum === null || one === null ? null : sum + one), 0);
}

/** As text for a terminal. */
export function gatewayCountsTable(all: readonly GatewayCounts[]): string {
  const lines = all.map(({ scenario, gateways, ofOne, ofAll, faults }) => {
    const times = ofOne === null || ofAll === null ? null : (gateways * ofOne) / ofAll;
    const least = gateways * LEAST_SHARE;
    const isMet = times !== null && times >= least;
    const target = `at least ${shown(least, 1)}: ${isMet ? "met" : "missed"}`;
    const fault = faults.count === 0 ? "" : `, ${faults.count} faults: ${faults.first}`;
    return `${gateways} gateways, ${scenario}: ${shown(ofAll, 1)} us/call, one ${shown(ofOne, 1)}; ${shown(times, 2)} times the calls of one for its CPU (${target})${fault}\n`;
  });
  return lines.join("");
}
