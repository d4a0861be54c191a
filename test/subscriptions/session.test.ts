import { once } from "node:events";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { rpc } from "../../src/dev/rpc.ts";
import { CONTRACT } from "../../src/dev/samples.ts";
import { type ChainPair, startChainPair } from "../support/chain-pair.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { StreamClient } from "./stream.ts";
import { transfer } from "./transfer.ts";

const HEAD_CREDITS = 50;
const SUBSCRIBE_CREDITS = 5;
/** Some 6 MB of heads: more than the gateway and the system hold for one connection. */
const SUBSCRIPTIONS = 80;
const UNREAD_BLOCKS = 50;

let chain: ChainPair;
let gateway: TestGateway;
const clients: StreamClient[] = [];

beforeAll(async () => {
  chain = await startChainPair({ count: 1, blocks: 2 });
  const upstreams = chain.nodes.map(({ url, wsUrl }) => ({ name: "node", url, ws: wsUrl }));
  gateway = await startTestGateway({
    networks: [{ name: "dev", family: "evm", upstreams }],
    plans: {
      small: { dailyCredits: 3 * HEAD_CREDITS + SUBSCRIBE_CREDITS, creditsPerSecond: 1000 },
    },
  });
});
afterEach(() => {
  for (const client of clients.splice(0)) client.end();
});
afterAll(async () => {
  await gateway?.stop();
  await chain?.stop();
});

const open = async (url = gateway.ws()): Promise<StreamClient> => {
  const client = await StreamClient.open(url);
  clients.push(client);
  return client;
};
const wsOf = (key: string) => gateway.ws().replace(gateway.key, key);

describe("in go-ethereum's words", () => {
  test.each([
    [[], -32602, "expected subscription name as first argument"],
    [[5], -32602, "expected subscription name as first argument"],
    [["nope"], -32601, 'no "nope" subscription in eth namespace'],
    [["logs"], -32602, "missing value for required argument 1"],
    [
      ["logs", { address: "0x12" }],
      -32602,
      "invalid argument 1: invalid address: hex has invalid length 1 after decoding; expected 20 for address",
    ],
    [["newHeads", { resume: "1.2" }], -32602, 'invalid argument 1: "1.2" is no cursor'],
    [
      ["newHeads", {}],
      -32602,
      'invalid argument 1: an object with the key "resume" alone is wanted',
    ],
    [["newHeads", { resume: "0.ab" }, 1], -32602, ""],
    [["logs", { blockHash: `0x${"ab".repeat(32)}` }], -32602, "invalid argument 1: a subscription"],
    [["logs", { address: Array(1001).fill(CONTRACT) }], -32602, "invalid argument 1: exceed max"],
  ])("%j is refused", async (params, code, message) => {
    const { error } = (await (await open()).ask("eth_subscribe", params)) as {
      error: { code: number; message: string };
    };
    expect(error.code).toBe(code);
    expect(error.message.startsWith(message), error.message).toBe(true);
  });

  test("over HTTP there are no notifications, and an id that nobody has is not found", async () => {
    const error = { code: -32601, message: "notifications not supported" };
    for (const [method, ...params] of [
      ["eth_subscribe", "newHeads"],
      ["eth_unsubscribe", "0x1"],
    ]) {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      const headers = { "content-type": "application/json" };
      const response = await fetch(gateway.http(), { method: "POST", headers, body });
      expect(await response.json()).toEqual({ jsonrpc: "2.0", id: 1, error });
    }
    const client = await open();
    const { error: unknown } = await client.ask("eth_unsubscribe", ["0x1"]);
    expect(unknown).toMatchObject({ code: -32000, message: "subscription not found" });
  });
});

test("after unsubscribing nothing is told, and others go on", async () => {
  const client = await open();
  const [first, second] = [await client.subscribe("newHeads"), await client.subscribe("newHeads")];
  await chain.mine(1);
  await client.until(first, 1);
  expect((await client.ask("eth_unsubscribe", [first])).result).toBe(true);
  await chain.mine(2);
  await client.until(second, 3);
  expect(client.of(first)).toHaveLength(1);
});

test("the answer comes before the first notification, in a batch too", async () => {
  const client = await open();
  await chain.mine(1);
  const block = await rpc<{ hash: string }>(gateway.http(), "eth_getBlockByNumber", ["0x1", false]);
  const socket = new WebSocket(gateway.ws());
  await once(socket, "open");
  const messages: string[] = [];
  socket.on("message", (data) => messages.push(String(data)));
  const resume = { resume: { blockHash: block.hash } };
  const call = (id: number) => ({
    jsonrpc: "2.0",
    id,
    method: "eth_subscribe",
    params: ["newHeads", resume],
  });
  socket.send(
    JSON.stringify([call(1), call(2), { jsonrpc: "2.0", id: 3, method: "eth_gasPrice" }]),
  );
  while (messages.length < 3) await once(socket, "message");
  expect(JSON.parse(messages[0] ?? "")).toHaveLength(3);
  expect(JSON.parse(messages[1] ?? "").params.result.number).toBe("0x2");
  socket.terminate();
  expect(client.told).toEqual([]);
});

test("as many are open at a time as the plan allows the key, and one that ends makes room", async () => {
  const client = await open(wsOf(await gateway.keyOf("many@example.com")));
  const ids: string[] = [];
  for (let each = 0; each < 100; each += 1) ids.push(await client.subscribe("newHeads"));
  await expect(client.subscribe("newHeads")).rejects.toThrow("too many subscriptions: 100");
  const { result } = await client.ask("eth_unsubscribe", [ids[0]]);
  expect(result).toBe(true);
  await client.subscribe("newHeads");
  client.end();
  const again = await open(wsOf(await gateway.keyOf("many-more@example.com")));
  await again.subscribe("newHeads");
});

test("each notification is charged and counted, until the day's credits are used up", async () => {
  const key = await gateway.keyOf("small@example.com", "small");
  const client = await open(wsOf(key));
  const id = await client.subscribe("newHeads");
  await chain.mine(2);
  await client.until(id, 2);
  const usage = await rpc<{ used: number }>(
    gateway.http().replace(gateway.key, key),
    "tollgate_usage",
    [],
  );
  expect(usage.used).toBe(SUBSCRIBE_CREDITS + 2 * HEAD_CREDITS);
  await chain.mine(2);
  expect(await client.closed).toEqual({
    code: 4402,
    reason: "the credits of the day are used up",
  });
  expect(client.of(id)).toHaveLength(3);
});

test("a client that stops reading for a while is told everything afterwards, in order", async () => {
  const client = await open();
  const ids: string[] = [];
  while (ids.length < SUBSCRIPTIONS) ids.push(await client.subscribe("newHeads"));
  client.socket.pause();
  for (let block = 0; block < UNREAD_BLOCKS; block += 1) await chain.mine(1);
  client.socket.resume();
  for (const id of ids) {
    const told = await client.until(id, UNREAD_BLOCKS);
    const numbers = told.map(({ result }) => Number(result["number"]));
    const [first = 0] = numbers;
    expect(numbers).toEqual(Array.from({ length: UNREAD_BLOCKS }, (_, at) => first + at));
  }
});

test("a revoked key's subscriptions end within a second", async () => {
  const key = await gateway.keyOf("revoked@example.com");
  const client = await open(wsOf(key));
  await client.subscribe("newHeads");
  const { accounts, keys } = gateway.storage;
  const account = await accounts.findByEmail("revoked@example.com");
  const [owned] = await keys.list(account?.id);
  const begunMs = performance.now();
  await keys.revoke(owned?.key.id ?? "", Date.now());
  expect((await client.closed).code).toBe(4401);
  expect(performance.now() - begunMs).toBeLessThan(1000);
});

test("a block's logs are told to those whose allow-list has their contract", async () => {
  const client = await open();
  const id = await client.subscribe("logs", { address: CONTRACT });
  await transfer(chain);
  const [told] = await client.until(id, 1);
  expect(told?.result).toMatchObject({ address: CONTRACT.toLowerCase(), removed: false });
});
