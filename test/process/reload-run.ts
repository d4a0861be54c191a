import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { WebSocket } from "ws";
import { stringify } from "yaml";
import { startAnvil } from "../../src/dev/anvil.ts";
import { rpc } from "../../src/dev/rpc.ts";
import { StreamClient, type Told } from "../subscriptions/stream.ts";
import { childrenOf } from "../support/child-processes.ts";
import { makeCustomer, openWorkplace, type Workplace } from "../support/started-gateway.ts";

export type ReloadRun = {
  readonly reloads: number;
  /** Of files that were refused. */
  readonly refused: number;
  readonly calls: number;
  /** What was answered in place of a block's number, and reloads that did not do what they should. */
  readonly faults: readonly string[];
  readonly openSockets: number;
  /** Of each socket: blocks that it was told of, and those missing or told twice among them. */
  readonly heads: readonly { readonly told: number; readonly wrong: number }[];
  /** Resident memory of all processes of the gateway, MiB, after each tenth of the reloads. */
  readonly memory: readonly number[];
};

const BLOCK_MS = 200;
const CLIENTS = 4;
/** Short, so that networks that were replaced end soon. */
const TIMEOUT_MS = 1000;
/** However fast the reloads are, clients stay for so many blocks: what was replaced has ended by then. */
const LEAST_HEADS = 20;
/** A refused file in so many. */
const BAD_EVERY = 5;

/** Reloads one file after the other while clients call over HTTP and over WebSockets that are subscribed to heads. */
export async function runReloads(workers: number, reloads: number): Promise<ReloadRun> {
  const anvil = await startAnvil();
  const stopMining = mineEvery(anvil.url, BLOCK_MS);
  const upstreams = ["a", "b", "c"].map((name) => ({ name, url: anvil.url, ws: anvil.wsUrl }));
  const fileOf = (number: number) => ({
    server: { port: 0, workers },
    admin: { port: 0 },
    storage: { url: "sqlite:./tollgate.db" },
    log: { level: number % 2 === 0 ? "info" : "warn" },
    networks: ["main", ...(number % 3 === 0 ? ["other"] : [])].map((name) => ({
      ...{ name, family: "evm", timeoutMs: TIMEOUT_MS },
      upstreams: upstreams.slice(0, 1 + (number % 3)),
    })),
    plans: { mine: { dailyCredits: 1e12 + number, creditsPerSecond: 1e10 } },
  });
  const workplace = await openWorkplace(fileOf(0));
  try {
    const { key } = await makeCustomer(workplace, { email: "ada@example.com", plan: "mine" });
    const gateway = await workplace.start();
    const load = new Load(gateway.origin, key);
    await load.begin();
    const faults: string[] = [];
    const memory: number[] = [];
    let refused = 0;
    for (let number = 1; number <= reloads; number += 1) {
      const isBad = number % BAD_EVERY === 0;
      const file = isBad ? { ...fileOf(number), networks: [] } : fileOf(number);
      const reloaded = await reload(workplace, gateway.admin, file);
      if (reloaded === isBad) faults.push(`reload ${number}: ${reloaded}`);
      if (isBad) refused += 1;
      if (number % Math.ceil(reloads / 10) === 0) memory.push(memoryOf(gateway.process.pid));
    }
    const { calls, wrong, sockets } = await load.end();
    return {
      ...{ reloads, refused, calls, memory },
      faults: [...faults, ...wrong],
      openSockets: sockets.filter(({ socket }) => socket.readyState === WebSocket.OPEN).length,
      heads: sockets.map(({ told }) => ({ told: told.length, wrong: wrongIn(told) })),
    };
  } finally {
    stopMining();
    await workplace.clear();
    await anvil.stop();
  }
}

function mineEvery(url: string, intervalMs: number): () => void {
  const timer = setInterval(() => void rpc(url, "evm_mine", []).catch(() => undefined), intervalMs);
  return () => clearInterval(timer);
}

async function reload({ file }: Workplace, admin: string, config: object): Promise<boolean> {
  await writeFile(file, stringify(config));
  const response = await fetch(`${admin}/reload`, { method: "POST" });
  return ((await response.json()) as { readonly reloaded: boolean }).reloaded;
}

function wrongIn(told: readonly Told[]): number {
  const heads = told.map(({ result }) => Number(result["number"]));
  return heads.filter((head, index) => index > 0 && head !== (heads[index - 1] ?? 0) + 1).length;
}

class Load {
  readonly #http: string;
  readonly #ws: string;
  readonly #sockets: StreamClient[] = [];
  readonly #subscriptions: string[] = [];
  readonly #wrong: string[] = [];
  #calls = 0;
  #isOver = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(origin: string, key: string) {
    this.#http = `${origin}/main/v3/${key}`;
    this.#ws = `${origin.replace("http", "ws")}/main/ws/v3/${key}`;
  }

  async begin(): Promise<void> {
    for (let client = 0; client < CLIENTS; client += 1) {
      const socket = await StreamClient.open(this.#ws);
      this.#subscriptions.push(await socket.subscribe("newHeads"));
      this.#sockets.push(socket);
    }
    const clients = this.#sockets.flatMap((socket) => [
      this.#call(async () => {
        const { result, error } = await socket.ask("eth_getBlockByNumber", ["latest", false]);
        return result ?? error;
      }),
      this.#call(() => this.#post()),
    ]);
    this.#running = Promise.all(clients);
  }

  async end() {
    const told = this.#sockets.map((socket, index) =>
      socket.until(this.#subscriptions[index] ?? "", LEAST_HEADS),
    );
    await Promise.all(told);
    this.#isOver = true;
    await this.#running;
    return { calls: this.#calls, wrong: this.#wrong, sockets: this.#sockets };
  }

  /** One after the other. No answer may name a lower block than the one before. */
  async #call(ask: () => Promise<unknown>): Promise<void> {
    let last = 0;
    while (!this.#isOver) {
      const result = (await ask().catch(String)) as { readonly number?: string };
      this.#calls += 1;
      const number = Number(result?.number ?? Number.NaN);
      if (!(number >= last))
        this.#wrong.push(`after ${last}: ${JSON.stringify(result)}`.slice(0, 200));
      else last = number;
    }
  }

  async #post(): Promise<unknown> {
    const call = {
      jsonrpc: "2.0",
      id: 1,
      method: "eth_getBlockByNumber",
      params: ["latest", false],
    };
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify(call);
    const response = await fetch(this.#http, { method: "POST", headers, body });
    const { result, error } = (await response.json()) as Record<string, unknown>;
    return result ?? error;
  }
}

const PAGE_BYTES = 4096;
const MIB = 1024 * 1024;

/** Of the process and its children, MiB. */
function memoryOf(pid: number): number {
  const pids = [pid, ...childrenOf(pid)];
  const pages = pids.map((each) =>
    Number(readFileSync(`/proc/${each}/statm`, "utf8").split(" ")[1]),
  );
  return Math.round((pages.reduce((sum, each) => sum + each, 0) * PAGE_BYTES) / MIB);
}
