import { mkdtemp, rm } from "node:fs/promises";
import { Agent, type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Cores } from "./cpu.ts";
import { memoryBytes } from "./memory.ts";
import { Processes } from "./processes.ts";
import { scenarioOf } from "./scenarios.ts";
import { BLOCK_BYTES } from "./slot-chain.ts";
import { startTollgate } from "./tollgate.ts";

/** What the answers of some waves took of memory. */
export type LargeAnswers = {
  readonly atOnce: number;
  readonly waves: number;
  /** Resident memory of a gateway that has only started; null where /proc is absent. */
  readonly idleBytes: number | null;
  /** The most that was ever resident. */
  readonly peakBytes: number | null;
  /** Answers that were no blocks, and the text of the first. */
  readonly faults: { readonly count: number; readonly first: string | null };
};

export type LargeAnswersOptions = {
  /** The file that Node runs. */
  readonly program: string;
  /** Answers on the way at the same time, each of 5 MB, to a connection of its own. */
  readonly atOnce: number;
  readonly waves: number;
  readonly cores: Cores | null;
};

/** A slow reader takes what has come, at most 64 KB, so often: 5 MB in a second and more. */
const SLOW_MS = 15;
/** Of each wave: readers as fast as they can be, then half of them slow, then all. */
const SLOW_SHARES = [0, 0.5, 1];

type Reader = { readonly url: string; readonly agent: Agent; readonly isSlow: boolean };

/** The memory that a gateway takes for many large answers at once; `stop` ends it early. */
export class LargeAnswersRun {
  readonly #options: LargeAnswersOptions;
  readonly #processes: Processes;
  #directory: string | null = null;

  constructor(options: LargeAnswersOptions) {
    this.#options = options;
    this.#processes = new Processes({ cores: options.cores });
  }

  /** Rejects where a process fails; `stop` is still to be called. */
  async run(): Promise<LargeAnswers> {
    const { atOnce, waves } = this.#options;
    const node = () => this.#processes.startChild("others", "./stand-in-node.ts");
    const nodePorts = [(await node()).port, (await node()).port];
    this.#directory = await mkdtemp(join(tmpdir(), "tollgate-bench-"));
    const { program } = this.#options;
    const options = { program, directory: this.#directory, nodePorts, slots: { nodePorts } };
    const { part, port, key } = await startTollgate(this.#processes, options);
    const idleBytes = memoryBytes(part.pid, "VmRSS");
    const url = `http://127.0.0.1:${port}/slots/v3/${key}`;
    const agent = new Agent({ keepAlive: true });
    const faults: string[] = [];
    for (let sent = 0; sent < waves * SLOW_SHARES.length * atOnce; sent += atOnce) {
      const slow = atOnce * (SLOW_SHARES[(sent / atOnce) % SLOW_SHARES.length] ?? 0);
      const readers = Array.from({ length: atOnce }, (_, at) =>
        read(sent + at, { url, agent, isSlow: at < slow }),
      );
      for (const fault of await Promise.all(readers)) if (fault !== null) faults.push(fault);
    }
    agent.destroy();
    return {
      ...{ atOnce, waves, idleBytes, peakBytes: memoryBytes(part.pid, "VmHWM") },
      faults: { count: faults.length, first: faults[0] ?? null },
    };
  }

  async stop(): Promise<void> {
    await this.#processes.stopAll();
    if (this.#directory !== null) await rm(this.#directory, { recursive: true, force: true });
  }
}

/** Reads the n-th block; null, or what is wrong with the answer. */
async function read(n: number, reader: Reader): Promise<string | null> {
  try {
    const response = await ask(n, reader);
    let start = "";
    let bytes = 0;
    for await (const chunk of response) {
      start ||= String(chunk).slice(0, 200);
      bytes += chunk.length;
      if (reader.isSlow) await sleep(SLOW_MS);
    }
    const isBlock = start.includes('"result":{') && bytes > BLOCK_BYTES;
    return isBlock ? null : `${response.statusCode}, ${bytes} bytes: ${start}`;
  } catch (error) {
    return String(error);
  }
}

function ask(n: number, { url, agent }: Reader): Promise<IncomingMessage> {
  const headers = { "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", agent, headers }, resolve);
    sent.on("error", reject);
    sent.end(scenarioOf("slot-block-5m").body(n));
  });
}
