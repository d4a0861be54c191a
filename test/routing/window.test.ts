import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rpc } from "../../src/dev/rpc.ts";
import { type ChainPair, quantity, startChainPair } from "../support/chain-pair.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { connect } from "../websocket/client.ts";
import { ask, askBatch, type Call } from "./client.ts";

const WINDOW = 8;
const OUTSIDE = {
  code: -32000,
  message: `archive requests are not available on this network: only the latest ${WINDOW} blocks are served`,
};
const UNKNOWN_HASH = `0x${"11".repeat(32)}`;

let pair: ChainPair;
let gateway: TestGateway;
let url: string;

beforeAll(async () => {
  pair = await startChainPair({ count: 1 });
  const upstreams = [{ name: "node", url: pair.nodes[0]?.url }];
  gateway = await startTestGateway({
    networks: [{ name: "net", family: "evm", chainId: 31_337, window: WINDOW, upstreams }],
  });
  url = gateway.http();
});
afterAll(async () => {
  await gateway?.stop();
  await pair?.stop();
});

const oldest = () => pair.head() - WINDOW + 1;
const onNode = <Result>(method: string, params: unknown[]) =>
  rpc<Result>(pair.nodes[0]?.url ?? "", method, params);
type Block = { readonly hash: string; readonly transactions: readonly string[] };
const hashOf = async (number: number): Promise<string> =>
  (await onNode<Block>("eth_getBlockByNumber", [quantity(number), false])).hash;

async function expectOutside(call: Call): Promise<void> {
  const { status, header, body } = await ask(url, call);
  const told = JSON.stringify(call);
  expect({ status, charged: header("x-credits-charged") }, told).toEqual({
    ...{ status: 200, charged: "0" },
  });
  expect(body.error, told).toEqual(OUTSIDE);
}

/** As the node itself answers it, and at its price. */
async function expectServed(call: Call): Promise<void> {
  const { header, body } = await ask(url, call);
  const told = JSON.stringify(call);
  expect(body.error, told).toBeUndefined();
  expect(header("x-credits-charged"), told).not.toBe("0");
}

/** Each method whose params name a block; of state methods in any form. */
function namingBlock(block: unknown): readonly Call[] {
  const { sender } = pair.samples.accounts;
  return [
    { method: "eth_getBlockReceipts", params: [block] },
    { method: "eth_getBalance", params: [sender, block] },
    { method: "eth_getCode", params: [sender, block] },
    { method: "eth_getTransactionCount", params: [sender, block] },
    { method: "eth_getStorageAt", params: [sender, "0x0", block] },
    { method: "eth_getProof", params: [sender, [], block] },
    { method: "eth_call", params: [pair.samples.calls.greeting, block] },
    { method: "eth_estimateGas", params: [pair.samples.calls.transfer, block] },
    { method: "eth_createAccessList", params: [pair.samples.calls.transfer, block] },
  ];
}

function namingNumber(block: string): readonly Call[] {
  return [
    ...namingBlock(block),
    ...namingBlock({ blockNumber: block }),
    { method: "eth_getBlockByNumber", params: [block, false] },
    { method: "eth_getBlockByNumber", params: [block, true] },
    { method: "eth_getBlockTransactionCountByNumber", params: [block] },
    { method: "eth_getUncleCountByBlockNumber", params: [block] },
    { method: "eth_getUncleByBlockNumberAndIndex", params: [block, "0x0"] },
    { method: "eth_getTransactionByBlockNumberAndIndex", params: [block, "0x0"] },
    { method: "eth_feeHistory", params: ["0x1", block, []] },
    { method: "eth_getLogs", params: [{ fromBlock: block, toBlock: block }] },
    { method: "eth_getLogs", params: [{ fromBlock: block }] },
  ];
}

function namingHash(hash: string): readonly Call[] {
  return [
    ...namingBlock(hash),
    ...namingBlock({ blockHash: hash }),
    ...namingBlock({ blockHash: hash, requireCanonical: true }),
    { method: "eth_getBlockByHash", params: [hash, false] },
    { method: "eth_getBlockTransactionCountByHash", params: [hash] },
    { method: "eth_getUncleCountByBlockHash", params: [hash] },
    { method: "eth_getUncleByBlockHashAndIndex", params: [hash, "0x0"] },
    { method: "eth_getTransactionByBlockHashAndIndex", params: [hash, "0x0"] },
    { method: "eth_getLogs", params: [{ blockHash: hash }] },
  ];
}

describe("the block just outside the window", () => {
  test("is refused by its number, free of charge", async () => {
    for (const call of namingNumber(quantity(oldest() - 1))) await expectOutside(call);
  });

  test("is refused by its hash, in whatever form, free of charge", async () => {
    for (const call of namingHash(await hashOf(oldest() - 1))) await expectOutside(call);
  });

  test("is refused in upper case, in a batch, and over WebSocket", async () => {
    const hash = await hashOf(oldest() - 1);
    const upper = `0x${hash.slice(2).toUpperCase()}`;
    await expectOutside({ method: "eth_getBlockByHash", params: [upper, false] });
    const calls = [
      { method: "eth_getBlockByNumber", params: [quantity(oldest() - 1), false] },
      { method: "eth_getBlockByNumber", params: [quantity(oldest()), false] },
    ];
    const { header, body } = await askBatch(url, calls);
    expect(body[0]?.error).toEqual(OUTSIDE);
    expect(body[1]).toMatchObject({ result: { number: quantity(oldest()) } });
    expect(header("x-credits-charged")).toBe("80");
    const client = await connect(gateway.ws());
    client.send(JSON.stringify({ jsonrpc: "2.0", id: 1, ...calls[0] }));
    const [message = ""] = await client.received(1);
    expect(JSON.parse(message)).toEqual({ jsonrpc: "2.0", id: 1, error: OUTSIDE });
    client.socket.terminate();
  });
});

describe("the oldest block inside the window", () => {
  test("is served by its number, at the usual price", async () => {
    for (const call of namingNumber(quantity(oldest()))) await expectServed(call);
  });

  test("is served by its hash, at the usual price", async () => {
    const { hash } = await onNode<Block>("eth_getBlockByNumber", [quantity(oldest()), false]);
    for (const call of namingHash(hash)) await expectServed(call);
  });
});

test("old transactions and receipts are refused, free of charge", async () => {
  for (const { hash, blockHash } of Object.values(pair.samples.transactions)) {
    await expectOutside({ method: "eth_getTransactionByHash", params: [hash] });
    await expectOutside({ method: "eth_getTransactionReceipt", params: [hash] });
    await expectOutside({ method: "eth_getBlockReceipts", params: [blockHash] });
  }
});

test("tags are blocks like any other: earliest, safe and finalized lie outside, latest and pending inside", async () => {
  // safe is the head - 16, finalized the head - 32.
  for (const tag of ["earliest", "safe", "finalized"]) {
    for (const call of [...namingBlock(tag), ...namingBlock({ blockNumber: tag })]) {
      await expectOutside(call);
    }
    await expectOutside({ method: "eth_getBlockByNumber", params: [tag, false] });
    await expectOutside({ method: "eth_getLogs", params: [{ fromBlock: tag }] });
  }
  for (const tag of ["latest", "pending"]) {
    await expectServed({ method: "eth_getBlockByNumber", params: [tag, false] });
    for (const call of namingBlock(tag)) {
      if (tag === "latest" || call.method !== "eth_getBlockReceipts") await expectServed(call);
    }
  }
  const { sender } = pair.samples.accounts;
  await expectServed({ method: "eth_getBalance", params: [sender] });
  await expectServed({ method: "eth_getLogs", params: [{}] });
});

test("what nobody knows is null, and not refused: an unknown hash, a block of the future", async () => {
  const unknown = [
    { method: "eth_getBlockByHash", params: [UNKNOWN_HASH, false] },
    { method: "eth_getTransactionByHash", params: [UNKNOWN_HASH] },
    { method: "eth_getTransactionReceipt", params: [UNKNOWN_HASH] },
    { method: "eth_getBlockByNumber", params: [quantity(pair.head() + 1000), false] },
  ];
  for (const call of unknown) {
    const { body } = await ask(url, call);
    expect(body, JSON.stringify(call)).toEqual({ jsonrpc: "2.0", id: 1, result: null });
  }
});

test("a range counts from its oldest block", async () => {
  const logs = (fromBlock: string, toBlock: string) => ({
    ...{ method: "eth_getLogs", params: [{ fromBlock, toBlock }] },
  });
  await expectOutside(logs(quantity(oldest() - 1), "latest"));
  await expectOutside(logs("earliest", quantity(pair.head())));
  await expectServed(logs(quantity(oldest()), "latest"));
});

test("the window goes with the head: new transactions are served until they leave it", async () => {
  const hash = await pair.leaveWaiting();
  await pair.mine(1);
  const mined = pair.head();
  const isHead = async () => (await ask(url, { method: "eth_blockNumber" })).body.result;
  await expect.poll(isHead, { timeout: 15_000 }).toBe(quantity(mined));
  await expectOutside({ method: "eth_getBlockByNumber", params: [quantity(oldest() - 1), false] });
  const receipt = { method: "eth_getTransactionReceipt", params: [hash] };
  const transaction = { method: "eth_getTransactionByHash", params: [hash] };
  for (const call of [receipt, transaction]) await expectServed(call);

  await pair.mine(WINDOW);
  await expect.poll(isHead, { timeout: 15_000 }).toBe(quantity(pair.head()));
  for (const call of [receipt, transaction]) await expectOutside(call);
  await expectOutside({ method: "eth_getBlockByNumber", params: [quantity(mined), false] });
});
