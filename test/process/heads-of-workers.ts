import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAccount } from "../../src/commands/accounts/accounts.ts";
import { createKey } from "../../src/commands/accounts/keys.ts";
import { rpc } from "../../src/dev/rpc.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { openStorage } from "../../src/storage/open.ts";
import { type ChainPair, quantity, startChainPair } from "../support/chain-pair.ts";
import { HttpClient } from "../support/load-clients.ts";
import { openWorkplace, type Started, type Workplace } from "../support/started-gateway.ts";
import { recordKey } from "../support/written.ts";

const WORKERS = 2;
/** Each has one connection: they are dealt out to the workers in turn. */
const CLIENTS = 6;
const DEEPEST = 3;
/** Answers after a reorganisation was seen, before the next one. */
const JUDGED = 60;
const TOLD = 5;
const PLAN = { dailyCredits: 1e12, creditsPerSecond: 1e10, failover: false };
const EMAIL = "customer@example.com";

type Block = { readonly hash: string; readonly transactions: readonly string[] };

/** What is known of the chain, and what clients were told of it. */
class Watch {
  /** Blocks that were replaced, by their hashes. */
  readonly dead = new Set<string>();
  readonly violations: string[] = [];
  judged = 0;
  /** The highest head that anybody was told of; counted anew from each reorganisation on. */
  highest = -1;
  /** Counts the reorganisations of the node, and those that a client was told of. */
  fork = 0;
  seen = 0;
  /** Of the newest block; a transaction that is in it. */
  transaction = "";
  number = 0;
  isMoving = false;
}

/** One client, that asks one question after the other. */
class Client {
  readonly #http: HttpClient;
  readonly #watch: Watch;
  #asked = 0;
  #isOver = false;
  readonly #running: Promise<void>;

  constructor(url: string, watch: Watch) {
    this.#http = new HttpClient(url, 1);
    this.#watch = watch;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
    await this.#http.close();
  }

  async #run(): Promise<void> {
    while (!this.#isOver && this.#watch.violations.length < TOLD) await this.#askOne();
  }

  async #askOne(): Promise<void> {
    const watch = this.#watch;
    const { fork, seen, highest, isMoving, number, transaction } = watch;
    this.#asked += 1;
    const [method, params] = [
      ["eth_blockNumber", []],
      ["eth_getTransactionReceipt", [transaction]],
      ["eth_getBlockByNumber", ["latest", false]],
      ["eth_getTransactionReceipt", [transaction]],
      ["eth_getBlockByNumber", [quantity(number), false]],
    ][this.#asked % 5] as [string, unknown[]];
    const id = this.#asked;
    const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
    const { text, block } = await this.#http.ask(body, id);
    const { result, error } = JSON.parse(text);
    const hash: string | undefined = result?.blockHash ?? result?.hash;
    const told = method === "eth_blockNumber" ? Number(result) : Number(block ?? -1);
    const fault = (words: string) => watch.violations.push(`${method} ${params}: ${words}`);
    // In the midst of a reorganisation anvil may have an internal error.
    const isSettled = !isMoving && !watch.isMoving && fork === watch.fork;
    if (error !== undefined && isSettled) fault(JSON.stringify(error));
    // Whoever asked after somebody was told of the new fork is told of no dead block.
    if (seen === watch.fork && hash !== undefined && watch.dead.has(hash)) fault(`dead ${hash}`);
    if (isSettled && told >= 0) {
      if (told < highest) fault(`head ${told} after ${highest}`);
      watch.highest = Math.max(watch.highest, told);
    }
    // Only what the gateway itself says of the head: a node may show a block before its head is known.
    if (isSettled && told >= watch.number) watch.seen = watch.fork;
    if (seen === watch.fork) watch.judged += 1;
  }
}

export type HeadsOfWorkers = {
  readonly times: number;
  /** The node tells of its blocks; else workers ask for them, each at its own times. */
  readonly webSocket: boolean;
};

/** A real node that is reorganised again and again, and two workers before it. */
export function testHeadsOfWorkers({ times, webSocket }: HeadsOfWorkers): void {
  let pair: ChainPair;
  let workplace: Workplace;
  let gateway: Started;
  let key: string;

  beforeAll(async () => {
    pair = await startChainPair({ count: 1, blocks: 8 });
    const [node] = pair.nodes;
    const upstream = { name: "a", url: node?.url, ...(webSocket && { ws: node?.wsUrl }) };
    workplace = await openWorkplace({
      server: { port: 0, workers: WORKERS },
      admin: { port: 0 },
      plans: { test: PLAN },
      storage: { url: "sqlite:./tollgate.db" },
      networks: [{ name: "net", family: "evm", chainId: 31_337, upstreams: [upstream] }],
    });
    const storage = await openStorage({ url: `sqlite:${join(workplace.folder, "tollgate.db")}` });
    const parts = { storage, plans: { test: PLAN }, clock: systemClock, random: randomBytes };
    await createAccount(parts, { email: EMAIL, plan: "test", operator: false });
    const { json } = await createKey(parts, { account: EMAIL, name: "test" });
    ({ key } = json as { key: string });
    recordKey(key);
    await storage.close();
    gateway = await workplace.start();
  });
  afterAll(async () => {
    await workplace?.clear();
    await pair?.stop();
  });

  const url = () => `${gateway.origin}/net/v3/${key}`;
  const node = () => pair.nodes[0]?.url ?? "";
  const blockAt = (number: number) =>
    rpc<Block>(node(), "eth_getBlockByNumber", [quantity(number), false]);
  const transfer = (value: number) => {
    const { sender: from } = pair.samples.accounts;
    return { from, to: `0x${"aa".repeat(20)}`, value: quantity(value), gas: "0x5208" };
  };

  /** The newest blocks are replaced by others, and one more. */
  async function reorganise(watch: Watch): Promise<void> {
    const depth = 1 + (watch.fork % DEEPEST);
    watch.isMoving = true;
    const old = await Promise.all(
      Array.from({ length: depth }, (_, below) => blockAt(watch.number - below)),
    );
    const mark = transfer(watch.fork + 1);
    await rpc(node(), "anvil_reorg", [depth, [[mark, 0]]]);
    await rpc(node(), "eth_sendTransaction", [mark]);
    await rpc(node(), "anvil_mine", ["0x1"]);
    const number = watch.number + 1;
    const { transactions } = await blockAt(number);
    for (const block of old) watch.dead.add(block.hash);
    watch.number = number;
    watch.transaction = transactions[0] ?? "";
    watch.highest = -1;
    watch.fork += 1;
    watch.isMoving = false;
  }

  test(`${times} reorganisations: no worker tells a dead block after another told the new one, nor a lower head`, {
    timeout: 60_000 + times * 2000,
  }, async () => {
    const watch = new Watch();
    watch.number = Number(await rpc<string>(node(), "eth_blockNumber"));
    await reorganise(watch);
    const clients = Array.from({ length: CLIENTS }, () => new Client(url(), watch));
    try {
      for (let done = 0; done < times && watch.violations.length === 0; done += 1) {
        await reorganise(watch);
        const enough = watch.judged + JUDGED;
        // A client that has seen the block has one worker ask for it at once; the other has to wait.
        const headers = { "x-min-block": String(watch.number) };
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber" });
        void fetch(url(), { method: "POST", headers, body }).then((answer) => answer.text());
        const isDone = () => watch.judged >= enough || watch.violations.length > 0;
        await expect.poll(isDone, { timeout: 30_000, interval: 1 }).toBe(true);
      }
    } finally {
      await Promise.all(clients.map((client) => client.stop()));
    }
    expect(watch.violations).toEqual([]);
  });
}
