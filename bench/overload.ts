import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Cores } from "./cpu.ts";
import type { Crowd, CrowdResult } from "./crowd.ts";
import { askCrowd } from "./crowds.ts";
import { type Part, Processes } from "./processes.ts";
import { createAccounts, launchTollgate, prepareTollgate } from "./tollgate.ts";

export type OverloadOptions = {
  /** The file that Node runs. */
  readonly program: string;
  readonly seconds: number;
  readonly cores: Cores | null;
  /** How long a node takes for an answer. */
  readonly answerMs: number;
  /** Of each of the two nodes. */
  readonly maxConnections: number;
  readonly blockMs: number;
  readonly scenarios?: readonly OverloadScenario[];
};

/** One account asks for four times of what the nodes can do; others ask for little. */
export type OverloadScenario = {
  readonly name: string;
  readonly protocol: Crowd["protocol"];
  readonly accounts: number;
  readonly batch: number;
  readonly workers: number;
};

const USUAL = { protocol: "http", accounts: 2, batch: 1, workers: 1 } as const;
const OVERLOADS: readonly OverloadScenario[] = [
  { ...USUAL, name: "http" },
  { ...USUAL, name: "50 accounts", accounts: 50 },
  { ...USUAL, name: "websocket", protocol: "websocket" },
  { ...USUAL, name: "batches of 10", batch: 10 },
  { ...USUAL, name: "two workers", workers: 2 },
];

export type Overload = {
  readonly scenario: string;
  /** Calls a second that the nodes can do, and that were served. */
  readonly capacity: number;
  readonly goodput: number;
  readonly alone: CrowdResult;
  readonly quiet: CrowdResult;
  readonly flood: CrowdResult;
  /** The oldest head that a client was told, in block times; null where it was not told of any. */
  readonly headAge: number | null;
  readonly breakersOpened: number;
};

const NODES = 2;
const FLOOD = 4;
/** Of all quiet accounts together. */
const QUIET_SHARE = 0.1;
/** The flood takes all places at once, and these come free in bursts until chance has spread them. */
const SETTLE_SECONDS = 6;
const LOOK_MS = 100;

type Stage = {
  readonly port: number;
  readonly adminPort: number;
  readonly keys: readonly string[];
  readonly epochMs: number;
  readonly flooding: Part;
  readonly quieting: Part;
};

/** Runs each scenario with a gateway and nodes of its own; `stop` ends it early. */
export class OverloadRun {
  readonly #options: OverloadOptions;
  #processes: Processes;
  #directory: string | null = null;

  constructor(options: OverloadOptions) {
    this.#options = options;
    this.#processes = new Processes({ cores: options.cores });
  }

  /** Rejects where a process fails; `stop` is still to be called. */
  async run(): Promise<Overload[]> {
    const all: Overload[] = [];
    for (const scenario of this.#options.scenarios ?? OVERLOADS) {
      this.#processes = new Processes({ cores: this.#options.cores });
      const overload = await this.#measure(scenario, await this.#start(scenario));
      await this.stop();
      all.push(overload);
    }
    return all;
  }

  async stop(): Promise<void> {
    await this.#processes.stopAll();
    if (this.#directory !== null) await rm(this.#directory, { recursive: true, force: true });
    this.#directory = null;
  }

  async #start({ accounts, workers }: OverloadScenario): Promise<Stage> {
    const { program, answerMs, blockMs, maxConnections } = this.#options;
    const epochMs = Date.now() - 1000 * blockMs;
    const child = (script: string, ...args: number[]) =>
      this.#processes.startChild("others", script, ...args.map(String));
    const nodePorts: number[] = [];
    for (let node = 0; node < NODES; node += 1) {
      nodePorts.push((await child("./slow-node.ts", epochMs, blockMs, answerMs)).port);
    }
    this.#directory = await mkdtemp(join(tmpdir(), "tollgate-bench-"));
    const directory = this.#directory;
    const prepared = await prepareTollgate({
      program,
      directory,
      nodePorts,
      maxConnections,
      workers,
    });
    const emails = Array.from({ length: accounts - 1 }, (_, at) => `quiet-${at}@example.com`);
    const keys = [prepared.key, ...(await createAccounts(prepared, emails))];
    await launchTollgate(this.#processes, prepared);
    const [flooding, quieting] = [
      (await child("./crowd.ts")).part,
      (await child("./crowd.ts")).part,
    ];
    return { ...prepared, keys, epochMs, flooding, quieting };
  }

  async #measure(scenario: OverloadScenario, stage: Stage): Promise<Overload> {
    const { answerMs, maxConnections, seconds } = this.#options;
    const { protocol, batch, name } = scenario;
    // A batch is sent as its calls, each of which takes a place.
    const capacity = (NODES * maxConnections * 1000) / answerMs;
    const [flooder = "", ...others] = stage.keys.map((key) => `/bench/v3/${key}`);
    const crowd = { protocol, port: stage.port };
    const quietly = {
      ...{ crowd: { ...crowd, paths: others, callsPerSecond: capacity * QUIET_SHARE, batch: 1 } },
      ...{ seconds, settleSeconds: SETTLE_SECONDS },
    };
    const alone = await askCrowd(stage.quieting, quietly);
    const loudly = {
      ...{ crowd: { ...crowd, paths: [flooder], callsPerSecond: capacity * FLOOD, batch } },
      ...{ seconds, settleSeconds: SETTLE_SECONDS },
    };
    let isOver = false;
    const heads = this.#watchHead(stage, () => !isOver);
    const [flood, quiet] = await Promise.all([
      askCrowd(stage.flooding, loudly),
      askCrowd(stage.quieting, quietly),
    ]);
    isOver = true;
    const goodput = flood.servedPerSecond + quiet.servedPerSecond;
    const breakersOpened = await breakers(stage.adminPort);
    const headAge = await heads;
    return { scenario: name, capacity, goodput, alone, quiet, flood, headAge, breakersOpened };
  }

  /** The most block times for which a newer block was there than the one that a client was told. */
  async #watchHead({ port, keys, epochMs }: Stage, goesOn: () => boolean): Promise<number | null> {
    const { blockMs } = this.#options;
    const url = `http://127.0.0.1:${port}/bench/v3/${keys.at(-1)}`;
    const body = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}';
    let oldest: number | null = null;
    while (goesOn()) {
      const asked = Date.now();
      const headers = { "content-type": "application/json" };
      const answer = await fetch(url, { method: "POST", headers, body });
      const { result } = (await answer.json()) as { readonly result?: string };
      const nextAt = epochMs + (Number(result) + 1) * blockMs;
      // A call that is refused tells no head: it counts as none for ever.
      const age = result === undefined ? Number.POSITIVE_INFINITY : (asked - nextAt) / blockMs;
      oldest = Math.max(oldest ?? 0, age);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    return oldest;
  }
}

async function breakers(adminPort: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  const counts = text.matchAll(/^tollgate_upstream_breaker_opened_total\{[^}]*\} (\d+)/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}
