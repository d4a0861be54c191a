import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rpc } from "../../src/dev/rpc.ts";
import { headOf, requireSameBlocks } from "../support/chain-pair.ts";
import { type DrivenPair, startDrivenPair } from "../support/engine-driver.ts";
import { type GanachePair, startGanachePair } from "../support/ganache-node.ts";

type Block = { readonly number: string; readonly transactions: readonly unknown[] };
const numberOf = async (url: string, tag: string): Promise<number> =>
  Number((await rpc<Block>(url, "eth_getBlockByNumber", [tag, false])).number);

describe("ganache", () => {
  let pair: GanachePair;
  beforeAll(async () => {
    pair = await startGanachePair();
  }, 120_000);
  afterAll(() => pair?.stop());

  test("two nodes have one chain, with the samples, also after one lost it", async () => {
    const [first, second] = pair.nodes;
    if (first === undefined || second === undefined) throw new Error("no nodes");
    await second.kill();
    await second.restart();
    expect(await headOf(second)).toBe(0);
    await pair.seed(second);
    expect(await headOf(second)).toBe(10);
    for (const number of [0, 3, 10]) await requireSameBlocks(pair.nodes, number);
    const samples = await rpc<Block>(first.url, "eth_getBlockByNumber", ["0x3", true]);
    expect(samples.transactions).toMatchObject([{ type: "0x0" }, { type: "0x1" }, {}, {}]);
    expect(await rpc(first.url, "web3_clientVersion")).toMatch(/^Ganache/);
  });
});

describe("@ethereumjs/client", () => {
  let pair: DrivenPair;
  beforeAll(async () => {
    pair = await startDrivenPair();
  }, 120_000);
  afterAll(() => pair?.stop());

  test("is driven: safe and finalized stay below the head, on all nodes alike", async () => {
    await pair.advance();
    expect(pair.head()).toBe(11);
    for (const { url } of pair.nodes) {
      const tags = ["latest", "safe", "finalized"].map((tag) => numberOf(url, tag));
      expect(await Promise.all(tags)).toEqual([11, 9, 7]);
    }
    for (const number of [0, 3, 11]) await requireSameBlocks(pair.nodes, number);
    const url = pair.nodes[0]?.url ?? "";
    const samples = await rpc<Block>(url, "eth_getBlockByNumber", ["0x3", true]);
    expect(samples.transactions).toHaveLength(4);
  });

  test("a node that lost the chain is given it again", async () => {
    const second = pair.nodes[1];
    if (second === undefined) throw new Error("no node");
    await second.restart();
    expect(await headOf(second)).toBe(0);
    await pair.seed(second);
    expect(await headOf(second)).toBe(pair.head());
    await requireSameBlocks(pair.nodes, pair.head());
  }, 60_000);
});
