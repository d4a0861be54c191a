import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Random, seeded } from "../credits/calls.ts";
import { type ChainPair, headOf, quantity, startChainPair } from "../support/chain-pair.ts";
import { type GatewayRig, type RigNetwork, startGatewayRig } from "../support/gateway-rig.ts";
import { type Ask, HttpClient, type Reply, WsClient } from "../support/load-clients.ts";

const MOST_APART = 5;
const MOVE_MS = 50;
const IN_AIR = 16;
const TOLD = 10;
/** Code of a creation that returns the number of its block: NUMBER, into memory, RETURN. */
const NUMBER_CODE = "0x435f5260205ff3";
const RUNS_CODE = "eth_call";
/** So far below the head a client asks by number and by hash. */
const DEPTH = 8;

/** What all clients of the gateway together have been told of the chain. */
class Seen {
  head = 0;
  readonly hashes = new Map<number, string>();
  readonly violations: string[] = [];

  note(number: number, hash?: string): void {
    this.head = Math.max(this.head, number);
    if (hash === undefined) return;
    const before = this.hashes.get(number) ?? hash;
    if (before !== hash) this.violations.push(`block ${number} was ${before} and is ${hash}`);
    this.hashes.set(number, hash);
  }
}

type Answer = { readonly result?: unknown; readonly error?: { readonly message: string } };
type Block = { readonly number: string; readonly hash: string } | null;
/** What is asked, and what is wrong with its answer where something is. */
type Question = {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly check: (answer: Answer, block: string | undefined) => string | undefined;
};

/**
 * anvil 1.7.1 takes the number that an `eth_call` names for its head, waits while it mines, and then runs the
 * call in the block that was mined. So code runs and blocks are mined in turns; all else goes on meanwhile.
 */
class Turns {
  isMining = false;
  #running = 0;
  #onceNone: (() => void) | undefined;

  async run<T>(call: () => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await call();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#onceNone?.();
    }
  }

  async mine(blocks: () => Promise<void>): Promise<void> {
    this.isMining = true;
    if (this.#running > 0) {
      await new Promise<void>((resolve) => {
        this.#onceNone = resolve;
      });
    }
    await blocks();
    this.isMining = false;
  }
}

/** A question for the head or below it, by what has been seen when it is sent. */
function questionFor(seen: Seen, random: Random, mayRunCode: boolean): Question {
  const least = seen.head;
  const isHead = (number: number, named: string | undefined) => {
    if (!(number >= least)) return `${number} after ${least} was seen`;
    if (named !== undefined && Number(named) !== number) return `${number}, X-Block ${named}`;
    seen.note(number);
    return undefined;
  };
  const at = Math.max(0, least - Math.floor(random() * DEPTH));
  const isThere = ({ result }: Answer) => {
    const block = result as Block;
    if (block === null || Number(block.number) !== at)
      return `block ${at} of ${least} is not there`;
    seen.note(at, block.hash);
    return undefined;
  };
  const byNumber: Question = {
    method: "eth_getBlockByNumber",
    params: [quantity(at), false],
    check: isThere,
  };
  const hash = seen.hashes.get(at);
  const reads: readonly Question[] = [
    {
      method: "eth_blockNumber",
      params: [],
      check: ({ result }, named) => isHead(Number(result), named),
    },
    {
      method: "eth_getBlockByNumber",
      params: ["latest", false],
      check: ({ result }, named) => {
        const block = result as Block;
        if (block === null) return "no latest block";
        seen.note(Number(block.number), block.hash);
        return isHead(Number(block.number), named);
      },
    },
    byNumber,
    hash === undefined
      ? byNumber
      : { method: "eth_getBlockByHash", params: [hash, false], check: isThere },
  ];
  const runs: readonly Question[] = [
    {
      method: RUNS_CODE,
      params: [{ data: NUMBER_CODE }, "latest"],
      check: ({ result }, named) => isHead(Number(result), named),
    },
    {
      method: RUNS_CODE,
      params: [{ data: NUMBER_CODE }, quantity(at)],
      check: ({ result }) => (Number(result) === at ? undefined : `${result} at ${at}`),
    },
  ];
  const choices = mayRunCode ? [...reads, ...runs] : reads;
  return choices[Math.floor(random() * choices.length)] ?? byNumber;
}

function judge({ method, params, check }: Question, reply: Reply | Error, needsBlock: boolean) {
  const asked = `${method} ${JSON.stringify(params)}`;
  if (reply instanceof Error) return `${asked}: ${reply.message}`;
  const answer = JSON.parse(reply.text) as Answer;
  if (answer.error !== undefined) return `${asked}: ${answer.error.message}`;
  const lacksBlock = needsBlock && params.includes("latest") && reply.block === undefined;
  const fault = lacksBlock ? "no X-Block" : check(answer, reply.block);
  return fault === undefined ? undefined : `${asked}: ${fault}`;
}

type Load = { readonly calls: number; readonly seen: Seen; readonly turns: Turns };

async function ask(network: RigNetwork, { calls, seen, turns }: Load): Promise<void> {
  const http = new HttpClient(network.http, IN_AIR / 2);
  const ws = new WsClient(network.ws);
  const random = seeded(11);
  let sent = 0;
  const worker = async (send: Ask, needsBlock: boolean) => {
    while (sent < calls && seen.violations.length < TOLD) {
      sent += 1;
      const id = sent;
      const question = questionFor(seen, random, !turns.isMining);
      const { method, params } = question;
      const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
      const answered = () => send(body, id).catch((error: Error) => error);
      const reply = await (method === RUNS_CODE ? turns.run(answered) : answered());
      const fault = judge(question, reply, needsBlock);
      if (fault !== undefined) seen.violations.push(fault);
    }
  };
  await Promise.all(
    Array.from({ length: IN_AIR }, (_, index) =>
      index % 2 === 0 ? worker(http.ask, true) : worker(ws.ask, false),
    ),
  );
  await Promise.all([http.close(), ws.close()]);
}

/** Mines on either node in turn, never more than five blocks ahead of the other. */
async function move(
  { nodes, mine }: ChainPair,
  turns: Turns,
  until: () => boolean,
): Promise<number> {
  const random = seeded(5);
  let widest = 0;
  while (!until()) {
    const heads = await Promise.all(nodes.map(headOf));
    const at = Math.floor(random() * nodes.length);
    const room = Math.min(...heads) + MOST_APART - (heads[at] ?? 0);
    if (room > 0) {
      const blocks = 1 + Math.floor(random() * room);
      await turns.mine(() => mine(blocks, nodes.slice(at, at + 1)));
    }
    const now = await Promise.all(nodes.map(headOf));
    widest = Math.max(widest, Math.max(...now) - Math.min(...now));
    await setTimeout(MOVE_MS);
  }
  return widest;
}

export function describeDifferingHeads(name: string, calls: number, webSocket: boolean): void {
  let pair: ChainPair;
  let rig: GatewayRig;

  beforeAll(async () => {
    pair = await startChainPair();
    rig = await startGatewayRig({
      nodes: pair.nodes,
      direct: true,
      networks: [{ name: "net", webSocket }],
    });
  });
  afterAll(async () => {
    await rig?.stop();
    await pair?.stop();
  });

  test(`${name}: ${calls} calls see one chain that never goes back`, async () => {
    const [network] = rig.networks;
    if (network === undefined) throw new Error("no network");
    const seen = new Seen();
    let done = false;
    const turns = new Turns();
    const moved = move(pair, turns, () => done);
    const before = pair.head();
    try {
      await ask(network, { calls, seen, turns });
    } finally {
      done = true;
    }
    expect(seen.violations).toEqual([]);
    expect(await moved).toBe(MOST_APART);
    expect(seen.head).toBeGreaterThan(before);
  });
}
