import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Random, seeded } from "../credits/calls.ts";
import { quantity } from "../support/chain-pair.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type Ask, HttpClient, type Reply, WsClient } from "../support/load-clients.ts";
import type { RealNode } from "../support/real-node.ts";
import { ForkingPair, MARKED, REACH, type Truth } from "./forking-pair.ts";

const DEEPEST = 10;
const IN_AIR = 8;
/** So many answers are judged between two changes of the chain. */
const JUDGED = 60;
const TOLD = 10;
const SEEN_MS = 10_000;
/** Code of a creation that returns BLOCKHASH(NUMBER - 1), after a zero word: no code begins with EF. */
const PARENT_CODE = "0x600143034060205260405ff3";

type Question = {
  readonly method: string;
  readonly params: readonly unknown[];
  /** What of the answer depends on the fork, and what it may be. */
  readonly shown: (result: unknown) => unknown;
  readonly right: readonly unknown[];
};

const itself = (result: unknown) => result;
const lastWord = (result: unknown) => `0x${String(result).slice(-64)}`;
const hashIn = (result: unknown) => (result as { hash?: string } | null)?.hash ?? null;
const blockHashIn = (result: unknown) =>
  (result as { blockHash?: string } | null)?.blockHash ?? null;

/** What a client asks for; by hash also what is dead. */
function questionOf(truth: Truth, random: Random): Question {
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)];
  const isTag = random() < 0.3;
  const number = isTag ? truth.head : truth.head - Math.floor(random() * (REACH - 1));
  const block = isTag ? "latest" : quantity(number);
  const own = truth.blocks.get(number);
  // anvil answers for the next block where that comes in the meantime: of the chain it is too.
  const alive = [...truth.blocks.values()];
  const [hashes, balances] = [alive.map((one) => one.hash), alive.map((one) => one.balance)];
  const [hash, at] = pick([...truth.byHash]) ?? ["", null];
  const [transaction, blockHash] = pick([...truth.byTransaction]) ?? [undefined, null];
  const choices: readonly Question[] = [
    { method: "eth_getBlockByNumber", params: [block, false], shown: hashIn, right: [own?.hash] },
    { method: "eth_getBalance", params: [MARKED, block], shown: itself, right: balances },
    {
      ...{ method: "eth_call", params: [{ data: PARENT_CODE }, block] },
      ...{ shown: lastWord, right: hashes },
    },
    {
      ...{ method: "eth_getBlockByHash", params: [hash, false] },
      ...{ shown: hashIn, right: [at === null ? null : hash] },
    },
    {
      ...{ method: "eth_getTransactionReceipt", params: [transaction] },
      ...{ shown: blockHashIn, right: [blockHash] },
    },
  ];
  return choices[Math.floor(random() * (transaction === undefined ? 4 : 5))] as Question;
}

/** Clients that ask all the time, and what they are told. */
class Load {
  /** What is right while the chain does not move, and the gateway has seen where it is. */
  settled: Truth | undefined;
  judged = 0;
  readonly violations: string[] = [];
  readonly #gateway: TestGateway;
  #truth: Truth;
  #isOver = false;
  readonly #running: Promise<unknown>;

  constructor(gateway: TestGateway, truth: Truth) {
    this.#gateway = gateway;
    this.#truth = truth;
    const http = new HttpClient(gateway.http(), IN_AIR / 2);
    const ws = new WsClient(gateway.ws());
    const random = seeded(17);
    let asked = 0;
    const worker = async (ask: Ask) => {
      while (!this.#isOver && this.violations.length < TOLD) {
        asked += 1;
        await this.#askOne(ask, asked, random);
      }
    };
    const workers = Array.from({ length: IN_AIR }, (_, index) =>
      worker(index % 2 === 0 ? http.ask : ws.ask),
    );
    this.#running = Promise.all(workers).then(() => Promise.all([http.close(), ws.close()]));
  }

  /** From now on answers are judged; resolves once enough were. */
  async settle(truth: Truth): Promise<void> {
    this.#truth = truth;
    this.settled = truth;
    const enough = this.judged + JUDGED;
    while (this.judged < enough && this.violations.length < TOLD) await setTimeout(1);
  }

  stop(): Promise<unknown> {
    this.#isOver = true;
    return this.#running;
  }

  async #askOne(ask: Ask, id: number, random: Random): Promise<void> {
    const before = this.settled;
    const question = questionOf(this.#truth, random);
    const { method, params } = question;
    const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
    const reply = await ask(body, id).catch((error: Error) => error);
    if (before === undefined || this.settled !== before) return;
    this.judged += 1;
    const fault = faultOf(question, reply);
    if (fault === undefined) return;
    const known = JSON.stringify(await overview(this.#gateway));
    this.violations.push(`${method} ${JSON.stringify(params)}: ${fault}; ${known}`);
  }
}

function faultOf({ shown, right }: Question, reply: Reply | Error): string | undefined {
  if (reply instanceof Error) return reply.message;
  const { result, error } = JSON.parse(reply.text) as { result: unknown; error?: object };
  if (error !== undefined) return JSON.stringify(error);
  const told = shown(result);
  return right.includes(told) ? undefined : `${told} in place of ${right.join(" or ")}`;
}

type Overview = {
  readonly headHash: string;
  readonly upstreams: readonly { readonly head: number; readonly forked: boolean }[];
};

async function overview(gateway: TestGateway): Promise<Overview> {
  const { networks } = (await (await gateway.admin("/networks")).json()) as {
    readonly networks: readonly [Overview];
  };
  return networks[0];
}

/** Until the gateway shows this block as its head; `byAll`: and as that of each node. */
async function seen(gateway: TestGateway, truth: Truth, byAll = false): Promise<void> {
  const wanted = truth.blocks.get(truth.head)?.hash;
  const untilMs = performance.now() + SEEN_MS;
  for (;;) {
    const { headHash, upstreams } = await overview(gateway);
    const isAt = upstreams.every(({ head, forked }) => head === truth.head && !forked);
    if (headHash === wanted && (isAt || !byAll)) return;
    if (performance.now() > untilMs) throw new Error(`${wanted} was not seen as head`);
  }
}

type Reorganisations = {
  readonly times: number;
  /** Nodes tell of their blocks; else they are asked for the one that a client has seen. */
  readonly webSocket: boolean;
};

/** Two real nodes, replaced one after the other, each of them first in turn. */
export function testReorganisations({ times, webSocket }: Reorganisations): void {
  let pair: ForkingPair;
  let gateway: TestGateway;

  beforeAll(async () => {
    pair = await ForkingPair.start();
    const upstreams = pair.nodes.map(({ url, wsUrl }, index) => ({
      ...{ name: `node-${index}`, url },
      ...(webSocket && { ws: wsUrl }),
    }));
    gateway = await startTestGateway({
      cache: { memoryBytes: 64_000_000 },
      networks: [{ name: "net", family: "evm", chainId: 31_337, upstreams }],
    });
  });
  afterAll(async () => {
    await gateway?.stop();
    await pair?.stop();
  });

  /** The first node decides; clients are judged once its new head was seen, and later once more. */
  const change = async (load: Load, move: (node: RealNode) => Promise<void>, isFirst: boolean) => {
    const [first, second] = pair.nodes;
    load.settled = undefined;
    if (!isFirst) await move(second);
    await move(first);
    const truth = await pair.truth(first);
    if (!webSocket) void nudge(gateway, truth.head);
    await seen(gateway, truth);
    // A node that is polled has not told yet that it is still on the other fork.
    if (webSocket || !isFirst) await load.settle(truth);
    if (isFirst) {
      await move(second);
      await load.settle(truth);
    }
    // What a node has not told of yet, nobody can know of: the next change begins after that.
    if (webSocket) await seen(gateway, truth, true);
  };

  test(`${times} reorganisations of 1 to ${DEEPEST} blocks under load: nobody is told of a dead block once the new head was seen`, async () => {
    const load = new Load(gateway, await pair.truth(pair.nodes[0]));
    try {
      for (let done = 0; done < times && load.violations.length === 0; done += 1) {
        const depth = 1 + (done % DEEPEST);
        const extra = (webSocket ? 0 : 1) + (done % 3);
        const isFirst = done % 4 < 2;
        if (done % 2 === 0) await change(load, await pair.replacement(depth, extra), isFirst);
        else {
          const detour = await pair.detour(depth, extra);
          await change(load, detour.there, true);
          await change(load, detour.back, isFirst);
        }
      }
    } finally {
      await load.stop();
    }
    expect(load.violations).toEqual([]);
    const metrics = await (await gateway.admin("/metrics")).text();
    const count = (name: string) =>
      Number(new RegExp(`^tollgate_${name}\\{network="net"\\} (\\d+)$`, "m").exec(metrics)?.[1]);
    expect(count("reorganisations_total")).toBeGreaterThanOrEqual(times);
    expect(load.judged).toBeGreaterThanOrEqual(times * JUDGED);
    expect(count("cache_hits_total")).toBeGreaterThan(load.judged / 4);
  });
}

/** A client that has seen the new head elsewhere. */
async function nudge(gateway: TestGateway, head: number): Promise<void> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] });
  const headers = { "content-type": "application/json", "X-Min-Block": String(head) };
  await fetch(gateway.http(), { method: "POST", headers, body });
}
