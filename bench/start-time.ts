import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Cores } from "./cpu.ts";
import { median } from "./histogram.ts";
import { memoryBytes } from "./memory.ts";
import { Processes } from "./processes.ts";
import { launchTollgate, prepareTollgate } from "./tollgate.ts";

/** Of a gateway with one network and two upstreams; medians. */
export type StartTime = {
  /** From the start of the process to its first answer. */
  readonly readyMs: number | null;
  /** Resident memory some seconds later; null where /proc is absent. */
  readonly idleBytes: number | null;
};

type StartTimeOptions = {
  /** The file that Node runs. */
  readonly program: string;
  readonly starts: number;
  readonly cores: Cores | null;
  /** Until what the start needed has gone back to the system. */
  readonly settleMs: number;
};

/** Starts one after the other; `stop` ends it early. */
export class StartTimeRun {
  readonly #options: StartTimeOptions;
  readonly #processes: Processes;
  #directory: string | null = null;

  constructor(options: StartTimeOptions) {
    this.#options = options;
    this.#processes = new Processes({ cores: options.cores });
  }

  /** Rejects where a process fails; `stop` is still to be called. */
  async run(): Promise<StartTime> {
    const node = () => this.#processes.startChild("others", "./stand-in-node.ts");
    const nodePorts = [(await node()).port, (await node()).port];
    this.#directory = await mkdtemp(join(tmpdir(), "tollgate-bench-"));
    const prepared = await prepareTollgate({
      program: this.#options.program,
      directory: this.#directory,
      nodePorts,
    });
    const ready: number[] = [];
    const idle: number[] = [];
    for (let n = 0; n < this.#options.starts; n += 1) {
      const { part, readyMs } = await launchTollgate(this.#processes, prepared);
      ready.push(readyMs);
      await sleep(this.#options.settleMs);
      idle.push(memoryBytes(part.pid, "VmRSS") ?? Number.NaN);
      await part.stop();
    }
    const idleBytes = median(idle.filter((bytes) => bytes > 0));
    return { readyMs: median(ready), idleBytes };
  }

  async stop(): Promise<void> {
    await this.#processes.stopAll();
    if (this.#directory !== null) await rm(this.#directory, { recursive: true, force: true });
  }
}
