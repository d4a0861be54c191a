import { afterAll, beforeAll, expect, test } from "vitest";
import { rpc } from "../../src/dev/rpc.ts";
import {
  type ChainPair,
  headOf,
  quantity,
  requireSameBlocks,
  startChainPair,
} from "../support/chain-pair.ts";

let pair: ChainPair;
beforeAll(async () => {
  pair = await startChainPair({ count: 3 });
});
afterAll(() => pair?.stop());

const at = (index: number) => () => {
  const node = pair.nodes[index];
  if (node === undefined) throw new Error("no such node");
  return node;
};
const [first, second, third] = [at(0), at(1), at(2)];

test("the nodes have the same blocks from the first to the last, with samples of all types", async () => {
  expect(pair.head()).toBe(42);
  for (const number of [0, 1, 2, 3, 42]) await requireSameBlocks(pair.nodes, number);
  const types = Object.values(pair.samples.transactions).map(({ type }) => type);
  expect(new Set(types)).toEqual(new Set(["0x0", "0x1", "0x2", "0x3", "0x4"]));
});

test("a node that mines later, and was asked other things, comes to the same blocks", async () => {
  await pair.mine(5, [first()]);
  await pair.mine(2, [second()]);
  expect(await Promise.all(pair.nodes.map(headOf))).toEqual([47, 44, 42]);
  await rpc(first().url, "eth_getBlockByNumber", ["pending", true]);
  await rpc(first().url, "eth_call", [pair.samples.calls.greeting, "latest"]);
  await pair.catchUp();
  expect(await Promise.all(pair.nodes.map(headOf))).toEqual([47, 47, 47]);
  for (const number of [43, 45, 47]) await requireSameBlocks(pair.nodes, number);
});

test("a killed node comes back on its port, empty, and gets the same chain again", async () => {
  const { url } = third();
  const before = third().pid();
  await third().kill();
  await expect(rpc(url, "eth_blockNumber")).rejects.toThrow();
  await third().restart();
  expect(third().url).toBe(url);
  expect(third().pid()).not.toBe(before);
  expect(await headOf(third())).toBe(0);
  await pair.seed(third());
  expect(await headOf(third())).toBe(pair.head());
  await requireSameBlocks(pair.nodes, pair.head());
});

test("a held node takes connections and answers once it is let go", async () => {
  await second().pause();
  const answer = headOf(second());
  const held = await Promise.race([
    answer,
    new Promise((resolve) => setTimeout(() => resolve("nothing"), 200)),
  ]);
  second().resume();
  expect([held, await answer]).toEqual(["nothing", pair.head()]);
});

test("a transaction that waits is the same on all nodes", async () => {
  const hash = await pair.leaveWaiting();
  const found = pair.nodes.map(({ url }) =>
    rpc<{ hash: string; blockHash: null }>(url, "eth_getTransactionByHash", [hash]),
  );
  for (const transaction of await Promise.all(found)) {
    expect(transaction).toMatchObject({ hash, blockHash: null });
  }
  await pair.mine(1);
  await requireSameBlocks(pair.nodes, pair.head());
  const { transactions } = await rpc<{ transactions: string[] }>(
    first().url,
    "eth_getBlockByNumber",
    [quantity(pair.head()), false],
  );
  expect(transactions).toEqual([hash]);
});
