import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { word } from "./abi.ts";
import { type DevNode, startAnvil } from "./anvil.ts";
import { rpc } from "./rpc.ts";
import { GREETING, type SampleName, type Samples, SENT } from "./samples.ts";
import { seedChain } from "./seed.ts";

type Transaction = {
  to: string | null;
  r: string;
  s: string;
  accessList?: unknown[];
  authorizationList?: unknown[];
  blobVersionedHashes?: unknown[];
  blobs?: unknown;
};
type Receipt = { status: string; type: string; logs: { address: string; topics: string[] }[] };

let node: DevNode;
let samples: Samples;

beforeAll(async () => {
  node = await startAnvil();
  samples = await seedChain(node.url);
});
afterAll(() => node.stop());

const transaction = (name: SampleName) =>
  rpc<Transaction>(node.url, "eth_getTransactionByHash", [samples.transactions[name].hash]);
const receipt = (name: SampleName) =>
  rpc<Receipt>(node.url, "eth_getTransactionReceipt", [samples.transactions[name].hash]);
const call = (request: object) => rpc<string>(node.url, "eth_call", [request, "latest"]);

describe("the sample transactions", () => {
  test.for<[SampleName, string, string]>([
    ["creation", "0x2", "0x1"],
    ["legacy", "0x0", "0x1"],
    ["accessList", "0x1", "0x1"],
    ["feeMarket", "0x2", "0x1"],
    ["blob", "0x3", "0x1"],
    ["setCode", "0x4", "0x1"],
    ["failing", "0x2", "0x0"],
  ])("%s is mined with type %s and status %s, where the samples say", async (row) => {
    const [name, type, status] = row;
    const { hash, blockNumber, blockHash, transactionIndex } = samples.transactions[name];
    const place = { hash, blockNumber, blockHash, transactionIndex };
    expect(await transaction(name)).toMatchObject({ type, ...place });
    expect(await receipt(name)).toMatchObject({ type, status });
    expect(samples.transactions[name]).toMatchObject({ type, status });
  });

  test("all types stand in one block", async () => {
    const { blockNumber } = samples.transactions.legacy;
    type Block = { transactions: { type: string }[] };
    const block = await rpc<Block>(node.url, "eth_getBlockByNumber", [blockNumber, true]);
    const types = block.transactions.map((each) => each.type);
    expect(types).toEqual(["0x0", "0x1", "0x2", "0x4", "0x2", "0x3"]);
  });

  test("each carries what its type is for", async () => {
    expect(await transaction("creation")).toMatchObject({ to: null });
    expect((await transaction("accessList")).accessList).toHaveLength(1);
    expect((await transaction("blob")).blobVersionedHashes).toHaveLength(1);
    expect((await transaction("setCode")).authorizationList).toHaveLength(1);
  });

  test("the blob's transaction has its sender's own signature and, as on a network, no blob", async () => {
    const { r, s, blobs } = await transaction("blob");
    expect(r.length + s.length).toBeGreaterThan(120);
    expect(blobs).toBeUndefined();
  });

  test("logs come from the contract and from the account that runs its code", async () => {
    expect((await receipt("legacy")).logs).toMatchObject([{ address: samples.contract }]);
    expect((await receipt("legacy")).logs[0]?.topics).toHaveLength(3);
    const { delegated } = samples.accounts;
    expect((await receipt("setCode")).logs).toMatchObject([{ address: delegated }]);
    const code = await rpc(node.url, "eth_getCode", [delegated, "latest"]);
    expect(code).toBe(`0xef0100${samples.contract.slice(2)}`);
  });
});

describe("the sample contract", () => {
  test("its storage holds what the samples say", async () => {
    for (const { position, value } of Object.values(samples.storage)) {
      const params = [samples.contract, position, "latest"];
      expect(await rpc(node.url, "eth_getStorageAt", params)).toBe(value);
    }
  });

  test("its calls answer", async () => {
    const greeting = Buffer.from((await call(samples.calls.greeting)).slice(2 + 128), "hex");
    expect(greeting.toString().replaceAll("\0", "")).toBe(GREETING);
    expect(await call(samples.calls.balanceOf)).toBe(`0x${word(SENT)}`);
    expect(await call(samples.calls.transfer)).toBe(`0x${word(1)}`);
  });

  test("its reverts carry a reason, a custom error and a panic", async () => {
    await expect(call(samples.reverts.reason)).rejects.toThrow("execution reverted: not today");
    await expect(call(samples.reverts.custom)).rejects.toThrow("custom error 0xcf479181");
    await expect(call(samples.reverts.panic)).rejects.toThrow("(0x12)");
  });
});

test("a chain that is seeded is read, not seeded again", async () => {
  const before = await rpc(node.url, "eth_blockNumber");
  expect(await seedChain(node.url)).toEqual(samples);
  expect(await rpc(node.url, "eth_blockNumber")).toBe(before);
});

test("a chain with other blocks is refused", async () => {
  const other = await startAnvil();
  onTestFinished(other.stop);
  await rpc(other.url, "evm_mine");
  await expect(seedChain(other.url)).rejects.toThrow(/lacks the sample transaction/);
});
