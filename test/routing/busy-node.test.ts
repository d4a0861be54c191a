import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ChainPair, startChainPair } from "../support/chain-pair.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import type { RealNode } from "../support/real-node.ts";
import { ask } from "./client.ts";

const BLOCK_MS = 500;
const WATCHED_MS = 7000;
/** Polls of the other node come first, and one that hangs keeps the next waiting for up to 2 s. */
const MOST_LATE_MS = 4000;
/** Several times the limit: no other node has the block that is asked for. */
const CALL_MS = 50;
const LIMIT = 5;

let pair: ChainPair;
let gateway: TestGateway | undefined;

beforeEach(async () => {
  pair = await startChainPair();
});
afterEach(async () => {
  await gateway?.stop();
  await pair?.stop();
});

/** Only `busy` gets blocks, and calls: how late clients are told of a new head at most, milliseconds. */
async function lateness(url: string, busy: RealNode): Promise<number> {
  const mined = new Map<number, number>();
  const mine = async () => {
    await pair.mine(1, [busy]);
    mined.set(pair.head(), performance.now());
  };
  let mining = mine();
  const miner = setInterval(() => {
    mining = mine();
  }, BLOCK_MS);
  const untilMs = performance.now() + WATCHED_MS;
  let lateMs = 0;
  for (let account = 1; performance.now() < untilMs; account += 1) {
    const address = `0x${account.toString(16).padStart(40, "0")}`;
    void ask(url, { method: "eth_getBalance", params: [address, "latest"] });
    const { body } = await ask(url, { method: "eth_blockNumber" });
    const nextMs = mined.get(Number(body.result) + 1);
    if (nextMs !== undefined) lateMs = Math.max(lateMs, performance.now() - nextMs);
    await setTimeout(CALL_MS);
  }
  clearInterval(miner);
  await mining;
  return lateMs;
}

test.each([
  ["hangs", (node: RealNode) => node.pause()],
  ["gets no more blocks", async () => {}],
])(
  "the head goes on where one node %s and the other is always at its limit of calls",
  async (_it, strike) => {
    const [other, busy] = pair.nodes;
    if (other === undefined || busy === undefined) throw new Error("there are no two nodes");
    gateway = await startTestGateway({
      networks: [
        {
          ...{ name: "net", family: "evm", chainId: 31_337 },
          upstreams: [
            { name: "other", url: other.url },
            { name: "busy", url: busy.url, requestsPerSecond: LIMIT },
          ],
        },
      ],
    });
    const url = gateway.http();
    const head = async () => Number((await ask(url, { method: "eth_blockNumber" })).body.result);
    await expect.poll(head).toBe(pair.head());
    await strike(other);
    expect(await lateness(url, busy)).toBeLessThan(MOST_LATE_MS);
  },
);
