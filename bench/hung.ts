import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Cores } from "./cpu.ts";
import type { HungCommand, HungResult } from "./hung-clients.ts";
import { Inspector } from "./inspector.ts";
import { Processes } from "./processes.ts";
import { launchTollgate, prepareTollgate } from "./tollgate.ts";

export type HungOptions = {
  /** The file that Node runs. */
  readonly program: string;
  readonly cores: Cores | null;
  readonly calls: number;
  readonly callsPerSecond: number;
  /** Of each of the two nodes. */
  readonly maxConnections: number;
};

export type Hung = HungResult & {
  /** What objects and buffers of the gateway take more, while calls wait. */
  readonly addedBytes: number;
  /** The longest that the event loop was held up. */
  readonly heldMs: number;
};

/** A WebSocket has so many calls in the air at most. */
const CALLS_OF_SOCKET = 1000;
const BLOCK_MS = 2000;
const ANSWER_MS = 50;
const WARM_MS = 500;

/** Two nodes that stop while many calls come: what waits, and what it does to the gateway. `stop` ends it early. */
export class HungRun {
  readonly #options: HungOptions;
  readonly #processes: Processes;
  /** Of the nodes that were stopped: they would not end either. */
  #stopped: number[] = [];
  #directory: string | null = null;

  constructor(options: HungOptions) {
    this.#options = options;
    this.#processes = new Processes({ cores: options.cores });
  }

  /** Rejects where a process fails; `stop` is still to be called. */
  async run(): Promise<Hung> {
    const { program, calls, callsPerSecond, maxConnections } = this.#options;
    const child = (script: string, ...args: number[]) =>
      this.#processes.startChild("others", script, ...args.map(String));
    const epochMs = Date.now() - 1000 * BLOCK_MS;
    const nodes = [
      await child("./slow-node.ts", epochMs, BLOCK_MS, ANSWER_MS),
      await child("./slow-node.ts", epochMs, BLOCK_MS, ANSWER_MS),
    ];
    const nodePorts = nodes.map(({ port }) => port);
    this.#directory = await mkdtemp(join(tmpdir(), "tollgate-bench-"));
    const own = { program, directory: this.#directory, nodePorts, maxConnections };
    const prepared = await prepareTollgate(own);
    const flags = ["--inspect=127.0.0.1:0"];
    const { part } = await launchTollgate(this.#processes, prepared, { flags });
    const inspector = await Inspector.ofProgram(part.stderr());
    const clients = (await child("./hung-clients.ts")).part;
    const sockets = Math.ceil(calls / CALLS_OF_SOCKET);
    const path = `/bench/ws/v3/${prepared.key}`;
    const command: HungCommand = { ...prepared, path, sockets, calls, callsPerSecond };
    await clients.ask({ ...command, calls: callsPerSecond / 10 });
    await sleep(WARM_MS);
    for (const node of nodes) {
      process.kill(node.part.pid, "SIGSTOP");
      this.#stopped.push(node.part.pid);
    }
    const before = await inspector.heap();
    await inspector.loopDelay();
    const result = (await clients.ask(command)) as HungResult;
    const { maxMs } = await inspector.loopDelay();
    const after = await inspector.heap();
    inspector.close();
    const addedBytes =
      after.usedBytes + after.externalBytes - before.usedBytes - before.externalBytes;
    return { ...result, addedBytes, heldMs: maxMs };
  }

  async stop(): Promise<void> {
    for (const pid of this.#stopped.splice(0)) process.kill(pid, "SIGCONT");
    await this.#processes.stopAll();
    if (this.#directory !== null) await rm(this.#directory, { recursive: true, force: true });
    this.#directory = null;
  }
}
