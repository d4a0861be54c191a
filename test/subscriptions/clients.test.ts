import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { CONTRACT } from "../../src/dev/samples.ts";
import {
  type Heard,
  type Watch,
  type Watching,
  watchWithEthers,
  watchWithViem,
  watchWithWeb3,
} from "../outside/watchers.ts";
import type { ChainPair } from "../support/chain-pair.ts";
import type { TestGateway } from "../support/gateway.ts";
import { transfer } from "./transfer.ts";
import { startWatchedChain, type WatchedChain } from "./watched-chain.ts";

const TRANSFERS = 3;

let chain: ChainPair;
let gateway: TestGateway;
let watched: WatchedChain;
const open: Watching[] = [];

beforeAll(async () => {
  watched = await startWatchedChain();
  ({ chain, gateway } = watched);
});
afterEach(async () => {
  for (const { end } of open.splice(0)) await end();
});
afterAll(async () => {
  await watched?.stop();
});

const CLIENTS: readonly [string, Watch][] = [
  ["viem", watchWithViem],
  ["ethers", watchWithEthers],
  ["web3", watchWithWeb3],
];

test.each(CLIENTS)("%s hears through the gateway what it hears from the node", async (_, watch) => {
  const [node] = chain.nodes;
  if (node === undefined) return;
  const [direct, through] = [
    await watch(node.wsUrl, CONTRACT),
    await watch(gateway.ws(), CONTRACT),
  ];
  open.push(direct, through);
  // They subscribe when they like: what both have heard of a block is the same from then on.
  const both = [direct, through];
  while (!both.every(({ heard }) => leastOf(heard) > 0)) {
    await transfer(chain);
    await sleep(500);
  }
  await expect.poll(() => lastOf(through.heard)).toEqual(lastOf(direct.heard));
  for (const { heard } of both) for (const all of Object.values(heard)) all.length = 0;
  for (let each = 0; each < TRANSFERS; each += 1) await transfer(chain);
  await expect.poll(() => leastOf(direct.heard)).toBe(TRANSFERS);
  await expect.poll(() => inOrder(through.heard)).toEqual(inOrder(direct.heard));
});

/** viem asks for each block that it hears of, and takes them in the order of the answers. */
function inOrder(heard: Heard): Heard {
  const numberOf = (block: unknown) =>
    Number((block as { readonly number?: bigint }).number ?? block);
  return { ...heard, blocks: heard["blocks"]?.toSorted((a, b) => numberOf(a) - numberOf(b)) ?? [] };
}

const leastOf = (heard: Heard): number =>
  Math.min(...Object.values(heard).map((all) => all.length));

const lastOf = (heard: Heard) =>
  Object.fromEntries(Object.entries(heard).map(([name, all]) => [name, all.at(-1)]));
