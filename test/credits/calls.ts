import { startStandInNode } from "../support/stand-in-node.ts";

/** Numbers from 0 to 1, the same for the same seed. */
export type Random = () => number;

/** Mulberry32: small, and good enough to vary what clients ask for. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const ADDRESS = "0x00000000000000000000000000000000000000aa";

/** By documented price, a call of it: each names a block of its own, so that the node can tell them apart. */
const BY_PRICE = {
  5: () => ["eth_chainId", []],
  80: (block: string) => ["eth_getTransactionCount", [ADDRESS, block]],
  150: (block: string) => ["eth_getUncleCountByBlockNumber", [block]],
  300: (block: string) => ["eth_estimateGas", [{ to: ADDRESS }, block]],
  1000: (block: string) => ["eth_getBlockReceipts", [block]],
} as const;
export type Price = keyof typeof BY_PRICE;
export const PRICES: readonly Price[] = [5, 80, 150, 300, 1000];

/** The node does not know this method: its credits are held, and given back. */
const NOT_SERVED_METHOD = "eth_getProof";
const NOT_SERVED_CREDITS = 150;
const BATCH_SHARE = 0.4;
const LARGEST_BATCH = 8;

export type Question = {
  readonly id: number;
  /** The price of its method. */
  readonly credits: number;
  /** Whether the node serves it; otherwise it costs nothing in the end. */
  readonly served: boolean;
  readonly body: object;
};

let lastId = 0;

export function questionOf(price: Price): Question {
  lastId += 1;
  const [method, params] = BY_PRICE[price](`0x${lastId.toString(16)}`);
  const body = { jsonrpc: "2.0", id: lastId, method, params };
  return { id: lastId, credits: price, served: true, body };
}

function notServed(): Question {
  lastId += 1;
  const params = [ADDRESS, [], `0x${lastId.toString(16)}`];
  const body = { jsonrpc: "2.0", id: lastId, method: NOT_SERVED_METHOD, params };
  return { id: lastId, credits: NOT_SERVED_CREDITS, served: false, body };
}

/** One call, or a batch, of calls at these prices; that share of them is served by no node. */
export function compose(
  prices: ReadonlySet<Price>,
  random: Random,
  notServedShare = 0.08,
): readonly Question[] {
  const choices = [...prices];
  const size = random() < BATCH_SHARE ? 2 + Math.floor(random() * (LARGEST_BATCH - 1)) : 1;
  return Array.from({ length: size }, () => {
    if (random() < notServedShare) return notServed();
    return questionOf(choices[Math.floor(random() * choices.length)] ?? 5);
  });
}

export function textOf(message: readonly Question[]): string {
  const bodies = message.map(({ body }) => body);
  return JSON.stringify(bodies.length === 1 ? bodies[0] : bodies);
}

export type CountingNode = {
  readonly url: string;
  /** The ids of the questions that it has answered. */
  readonly answered: ReadonlySet<number>;
  /** Milliseconds that it takes from now on. */
  delayMs: number;
  readonly stop: () => Promise<void>;
};

/** Answers every call of `questionOf`. */
export async function startCountingNode(): Promise<CountingNode> {
  const answered = new Set<number>();
  const node = await startStandInNode(async ({ method, params }) => {
    if (counting.delayMs > 0) await new Promise((wake) => setTimeout(wake, counting.delayMs));
    const last = params.at(-1);
    if (typeof last === "string") answered.add(Number(last));
    if (method === NOT_SERVED_METHOD) return { error: { code: -32601, message: "not available" } };
    return { result: method === "eth_getBlockReceipts" ? [] : "0x5208" };
  });
  const counting: CountingNode = { url: node.url, answered, delayMs: 0, stop: node.stop };
  return counting;
}
