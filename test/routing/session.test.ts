import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChainPair, quantity, startChainPair } from "../support/chain-pair.ts";
import { type GatewayRig, type RigNetwork, startGatewayRig } from "../support/gateway-rig.ts";
import { connect } from "../websocket/client.ts";
import { ask, askBatch, type Call } from "./client.ts";

const TIMEOUT_MS = 600;
/** Returns the number of the block that it runs in: NUMBER, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN. */
const BLOCK_NUMBER = { data: "0x4360005260206000f3" };

let pair: ChainPair;
let rig: GatewayRig;
let network: RigNetwork;
let polled: RigNetwork;
/** The second node has so many blocks less than the first. */
const BEHIND = 3;

beforeAll(async () => {
  pair = await startChainPair();
  rig = await startGatewayRig({
    nodes: pair.nodes,
    networks: [
      // New blocks are known at once.
      { name: "net", webSocket: true },
      { name: "polled", webSocket: false },
    ],
    network: { chainId: 31_337, timeoutMs: TIMEOUT_MS },
  });
  const [told, asked] = rig.networks;
  if (told === undefined || asked === undefined) throw new Error("no networks");
  [network, polled] = [told, asked];
});
afterAll(async () => {
  await rig?.stop();
  await pair?.stop();
});

const send = (call: Call, headers?: Record<string, string>) => ask(network.http, call, headers);
const blockOf = async (call: Call) => (await send(call)).header("x-block");
const headIsSeen = () =>
  expect
    .poll(async () => (await send({ method: "eth_blockNumber" })).body.result, { timeout: 15_000 })
    .toBe(quantity(pair.head()));

describe("X-Block", () => {
  test("names the block that a tag was resolved to", async () => {
    await headIsSeen();
    const { sender } = pair.samples.accounts;
    const at = (tag: string) => blockOf({ method: "eth_getBlockByNumber", params: [tag, false] });
    expect(await at("latest")).toBe(String(pair.head()));
    expect(await at("earliest")).toBe("0");
    // anvil's own: head - 16 and head - 32.
    expect(await at("safe")).toBe(String(pair.head() - 16));
    expect(await at("finalized")).toBe(String(pair.head() - 32));
    expect(await blockOf({ method: "eth_getBalance", params: [sender] })).toBe(String(pair.head()));
    expect(await blockOf({ method: "eth_getLogs", params: [{}] })).toBe(String(pair.head()));
  });

  test("is the block whose state the answer is of", async () => {
    for (const tag of ["latest", "safe"]) {
      const { header, body } = await send({ method: "eth_call", params: [BLOCK_NUMBER, tag] });
      expect(String(Number(body.result))).toBe(header("x-block"));
    }
  });

  test("stands on a revert too", async () => {
    const { header, body } = await send({
      ...{ method: "eth_call", params: [pair.samples.reverts.reason, "latest"] },
    });
    expect(body.error).toMatchObject({ code: 3 });
    expect(header("x-block")).toBe(String(pair.head()));
  });

  test("of a batch is the lowest", async () => {
    const block = (tag: string) => ({ method: "eth_getBlockByNumber", params: [tag, false] });
    const batch = async (...calls: Call[]) =>
      (await askBatch(network.http, calls)).header("x-block");
    expect(await batch(block("latest"), block("safe"), block("0x1"))).toBe(
      String(pair.head() - 16),
    );
    expect(await batch(block("latest"), { method: "eth_chainId" })).toBe(String(pair.head()));
    expect(await batch(block("0x1"), { method: "eth_chainId" })).toBeNull();
  });

  test("is absent where no tag was resolved", async () => {
    const { hash, blockHash } = pair.samples.transactions.legacy;
    const calls: Call[] = [
      { method: "eth_chainId" },
      { method: "eth_gasPrice" },
      { method: "eth_blockNumber" },
      { method: "eth_getBlockByNumber", params: ["0x1", false] },
      { method: "eth_getBlockByNumber", params: ["pending", false] },
      { method: "eth_getBlockByHash", params: [blockHash, false] },
      { method: "eth_getTransactionReceipt", params: [hash] },
      { method: "eth_getBalance", params: [pair.samples.accounts.sender, { blockHash }] },
      { method: "eth_getBalance", params: ["0x1", "latest"] },
    ];
    for (const call of calls) expect(await blockOf(call), JSON.stringify(call)).toBeNull();
  });

  test("is not a matter of WebSockets: neither the upgrade nor an answer has it", async () => {
    const client = await connect(network.ws);
    const call = { method: "eth_getBalance", params: [pair.samples.accounts.sender, "latest"] };
    client.send(JSON.stringify({ jsonrpc: "2.0", id: 1, ...call }));
    const [message = ""] = await client.received(1);
    expect(Object.keys(JSON.parse(message))).toEqual(["jsonrpc", "id", "result"]);
    client.socket.terminate();
  });
});

describe("X-Min-Block", () => {
  const proxies = () => {
    const [ahead, behind] = network.proxies;
    if (ahead === undefined || behind === undefined) throw new Error("no proxies");
    return { ahead, behind };
  };
  const atLeast = (call: Call, block: number) => send(call, { "x-min-block": String(block) });
  /** Calls of all kinds: of a block, of none, by hash, of the head. */
  const calls = (): readonly Call[] => {
    const { sender } = pair.samples.accounts;
    return [
      { method: "eth_getBalance", params: [sender, "latest"] },
      { method: "eth_getBalance", params: [sender, "0x1"] },
      { method: "eth_gasPrice" },
      { method: "eth_feeHistory", params: ["0x1", "latest", []] },
      { method: "eth_getTransactionReceipt", params: [pair.samples.transactions.legacy.hash] },
      { method: "eth_call", params: [BLOCK_NUMBER, "latest"] },
    ];
  };

  test("of a block that the head has makes no difference", async () => {
    for (const block of [0, 1, pair.head()]) {
      for (const call of calls()) {
        const { status, body } = await atLeast(call, block);
        expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
      }
    }
  });

  test("is never answered from the node that is behind", async () => {
    await pair.mine(BEHIND, pair.nodes.slice(0, 1));
    await headIsSeen();
    const { behind } = proxies();
    const methods = new Set(calls().map(({ method }) => method));
    const served = () => behind.count((method) => methods.has(method));
    const before = served();
    for (let round = 0; round < 20; round += 1) {
      for (const call of calls()) {
        const { body } = await atLeast(call, pair.head());
        expect(body.error, JSON.stringify(call)).toBeUndefined();
      }
    }
    expect(served()).toBe(before);
    // It is a node like the other for whoever has not seen that block.
    const old = pair.head() - BEHIND;
    const isServing = async () => {
      await atLeast({ method: "eth_gasPrice" }, old);
      return served() > before;
    };
    await expect.poll(isServing, { timeout: 15_000 }).toBe(true);
  });

  test("with the node that has it gone, the one behind is not asked instead", async () => {
    const { ahead, behind } = proxies();
    const before = behind.count((method) => method === "eth_gasPrice");
    await ahead.set({ kind: "reset", when: "before headers" });
    try {
      const { status, header, body } = await atLeast({ method: "eth_gasPrice" }, pair.head());
      expect(body.result).toBeUndefined();
      expect([200, 503]).toContain(status);
      expect(header("x-credits-charged")).toBe("0");
      expect(behind.count((method) => method === "eth_gasPrice")).toBe(before);
    } finally {
      await ahead.set({ kind: "none" });
    }
    await pair.catchUp();
    const isBack = async () => (await atLeast({ method: "eth_gasPrice" }, pair.head())).status;
    await expect.poll(isBack, { timeout: 15_000 }).toBe(200);
  });

  test("of a block that is coming waits for it", async () => {
    await headIsSeen();
    const next = pair.head() + 1;
    const { sender } = pair.samples.accounts;
    const waiting = atLeast({ method: "eth_getBalance", params: [sender, "latest"] }, next);
    await setTimeout(50);
    await pair.mine(1);
    const { header, body } = await waiting;
    expect(body.error).toBeUndefined();
    expect(Number(header("x-block"))).toBeGreaterThanOrEqual(next);
  });

  test("of a block that polled nodes have is answered at once, whenever they would be polled next", async () => {
    const gasPrice = { method: "eth_gasPrice" };
    for (const pauseMs of [700, 0, 300, 0]) {
      await setTimeout(pauseMs);
      await pair.mine(1);
      const { body } = await ask(polled.http, gasPrice, { "x-min-block": String(pair.head()) });
      expect(body.error).toBeUndefined();
    }
  });

  test("of a block that nobody has costs each polled node a question a second at most", async () => {
    const questions = () =>
      polled.proxies.map(({ calls }) => calls.get("eth_getBlockByNumber") ?? 0);
    const headers = { "x-min-block": String(pair.head() + 1000) };
    const before = questions();
    const begun = performance.now();
    for (let round = 0; round < 3; round += 1) {
      const asked = Array.from({ length: 20 }, () =>
        ask(polled.http, { method: "eth_gasPrice" }, headers),
      );
      for (const { body } of await Promise.all(asked)) expect(body.error?.code).toBe(-32000);
    }
    const seconds = (performance.now() - begun) / 1000;
    for (const [index, count] of questions().entries()) {
      // And those polls that would have come anyway, and one that is late on a machine at work. There are 60 calls.
      expect(count - (before[index] ?? 0)).toBeLessThanOrEqual(2 * Math.ceil(seconds) + 2);
    }
  });

  test("of a block that nobody reaches is told so at the deadline, free", async () => {
    await headIsSeen();
    const wanted = pair.head() + 1000;
    const error = { code: -32000, message: `block ${wanted} is not available yet` };
    for (const call of [...calls(), { method: "eth_blockNumber" }]) {
      const begun = performance.now();
      const { status, header, body } = await atLeast(call, wanted);
      const told = JSON.stringify(call);
      expect({ status, error: body.error }, told).toEqual({ status: 200, error });
      expect(header("x-credits-charged"), told).toBe("0");
      expect(performance.now() - begun, told).toBeGreaterThan(TIMEOUT_MS / 2);
      expect(performance.now() - begun, told).toBeLessThan(TIMEOUT_MS + 1000);
    }
    const batch = [{ method: "eth_gasPrice" }, { method: "eth_chainId" }];
    const headers = { "x-min-block": String(wanted) };
    const { body } = await askBatch(network.http, batch, headers);
    expect(body[0]?.error).toEqual(error);
  });

  test.each(["0x10", "-1", "1.5", "1e3", "latest", "1234567890123456", "1, 2"])(
    "%j is malformed: -32602, free",
    async (text) => {
      const { status, header, body } = await send(
        { method: "eth_gasPrice" },
        { "x-min-block": text },
      );
      const message = "invalid X-Min-Block header; want a block number in decimal digits";
      expect({ status, error: body.error }).toEqual({
        status: 200,
        error: { code: -32602, message },
      });
      expect(header("x-credits-charged")).toBe("0");
    },
  );
});
