import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AbuseAnswer, AbuseCommand } from "./abusers.ts";
import { ATTACKS } from "./attacks.ts";
import type { Cores } from "./cpu.ts";
import type { CrowdCommand, CrowdResult } from "./crowd.ts";
import { askCrowd } from "./crowds.ts";
import { memoryBytes } from "./memory.ts";
import { type Place, Processes } from "./processes.ts";
import { createAccounts, launchTollgate, prepareTollgate } from "./tollgate.ts";

export type AbuseOptions = {
  /** The file that Node runs. */
  readonly program: string;
  /** Of each abuse from each number of addresses. */
  readonly seconds: number;
  readonly cores: Cores | null;
  /** `server.memoryBytes`. */
  readonly budgetBytes: number;
  readonly addresses: readonly number[];
  readonly abuses?: readonly string[];
};

export type Abuse = {
  readonly abuse: string;
  readonly addresses: number;
  /** The most resident memory of the gateway; null where /proc is absent. */
  readonly peakBytes: number | null;
  readonly quiet: CrowdResult;
  /** Connections of those who do it. */
  readonly opened: number;
};

/** Of the plan `free`, each with a key; the addresses share them. */
const ACCOUNTS = 10;
const QUIET_CALLS_PER_SECOND = 100;
const BLOCK_MS = 2000;
const LOOK_MS = 20;
/** Its answers are of no use after the run. */
const CACHE_BYTES = 8_388_608;

/** Each abuse for a while, beside a quiet client of another account; `stop` ends it early. */
export class AbuseRun {
  readonly #options: AbuseOptions;
  #processes: Processes;
  #directory: string | null = null;

  constructor(options: AbuseOptions) {
    this.#options = options;
    this.#processes = new Processes({ cores: options.cores });
  }

  /** Rejects where a process fails; `stop` is still to be called. */
  async run(): Promise<Abuse[]> {
    const all: Abuse[] = [];
    for (const abuse of this.#options.abuses ?? ATTACKS.map(({ name }) => name)) {
      // What one left behind is not charged to the next.
      all.push(...(await this.#measure(abuse)));
      await this.stop();
      this.#processes = new Processes({ cores: this.#options.cores });
    }
    return all;
  }

  async stop(): Promise<void> {
    await this.#processes.stopAll();
    if (this.#directory !== null) await rm(this.#directory, { recursive: true, force: true });
    this.#directory = null;
  }

  async #measure(abuse: string): Promise<Abuse[]> {
    const { program, budgetBytes, seconds, addresses } = this.#options;
    const child = (place: Place, script: string, ...args: number[]) =>
      this.#processes.startChild(place, script, ...args.map(String));
    const epochMs = Date.now() - 1000 * BLOCK_MS;
    const node = await child("background", "./slow-node.ts", epochMs, BLOCK_MS, 0);
    // One that is busy with large answers would keep the quiet client waiting by itself.
    const quietNode = await child("others", "./slow-node.ts", epochMs, BLOCK_MS, 0);
    this.#directory = await mkdtemp(join(tmpdir(), "tollgate-bench-"));
    const prepared = await prepareTollgate({
      ...{ program, directory: this.#directory, nodePorts: [node.port] },
      quietPorts: [quietNode.port],
      ...{ memoryBytes: budgetBytes, cacheBytes: CACHE_BYTES },
    });
    const emails = Array.from({ length: ACCOUNTS }, (_, at) => `abuser-${at}@example.com`);
    const keys = await createAccounts(prepared, emails, "free");
    // As long as V8 collects, its threads would take half of the one core from the event loop.
    const gateway = (await launchTollgate(this.#processes, prepared, { pinned: "never" })).part;
    const [abusers, quiets] = [
      (await child("background", "./abusers.ts")).part,
      (await child("others", "./crowd.ts")).part,
    ];
    const all: Abuse[] = [];
    for (const count of addresses) {
      const paths = keys.slice(0, count).map((key) => `/bench/v3/${key}`);
      const { port } = prepared;
      const command: AbuseCommand = { abuse, port, paths, addresses: count, seconds };
      const crowd = { protocol: "http", port, batch: 1 } as const;
      const quietly: CrowdCommand = {
        ...{ seconds, settleSeconds: 0 },
        crowd: {
          ...crowd,
          paths: [`/quiet/v3/${prepared.key}`],
          callsPerSecond: QUIET_CALLS_PER_SECOND,
        },
      };
      const peak = watchMemory(gateway.pid);
      const [{ opened }, quiet] = await Promise.all([
        abusers.ask(command) as Promise<AbuseAnswer>,
        askCrowd(quiets, quietly),
      ]);
      all.push({ abuse, addresses: count, peakBytes: peak(), quiet, opened });
    }
    return all;
  }
}

/** Begins to look; what it returns ends that, and gives the most that was seen. */
function watchMemory(pid: number): () => number | null {
  let peak = memoryBytes(pid, "VmRSS");
  const timer = setInterval(() => {
    const now = memoryBytes(pid, "VmRSS");
    if (now !== null) peak = Math.max(peak ?? 0, now);
  }, LOOK_MS);
  return () => {
    clearInterval(timer);
    return peak;
  };
}
