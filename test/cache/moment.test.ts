import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { rpc } from "../../src/dev/rpc.ts";
import { ask, askBatch } from "../routing/client.ts";
import { type ChainPair, startChainPair } from "../support/chain-pair.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { connect } from "../websocket/client.ts";

let pair: ChainPair;
/** Passes calls on to anvil, and answers with what anvil said at once only when it is let go. */
let node: StandInNode;
let gateway: TestGateway;
let letGo: () => void;

beforeAll(async () => {
  pair = await startChainPair({ count: 1, blocks: 1 });
  node = await startStandInNode();
  gateway = await startTestGateway({
    cache: { memoryBytes: 64_000_000 },
    networks: [
      { name: "net", family: "evm", chainId: 1, upstreams: [{ name: "node", url: node.url }] },
    ],
  });
});
beforeEach(() => {
  const { promise, resolve } = Promise.withResolvers<void>();
  letGo = resolve;
  node.reply = async ({ method, params }) => {
    const result = await rpc(pair.nodes[0]?.url ?? "", method, params);
    asked += 1;
    await promise;
    return { result };
  };
  asked = 0;
});
afterAll(async () => {
  await gateway?.stop();
  await node?.stop();
  await pair?.stop();
});

/** Questions that anvil has answered. */
let asked = 0;
const sender = () => pair.samples.accounts.sender;
const nonce = () => ({ method: "eth_getTransactionCount", params: [sender(), "pending"] });

test("a nonce of `pending` counts every transaction that the node took before it was asked for", async () => {
  const early = ask(gateway.http(), nonce());
  await expect.poll(() => asked).toBe(1);
  await pair.leaveWaiting();
  const client = await connect(gateway.ws());
  client.send(JSON.stringify({ jsonrpc: "2.0", id: 7, ...nonce() }));
  const late = ask(gateway.http(), nonce());
  await expect.poll(() => asked).toBeGreaterThan(1);
  letGo();
  const before = Number((await early).body.result);
  const [message = ""] = await client.received(1);
  const told = [(await late).body.result, JSON.parse(message).result].map(Number);
  expect(told).toEqual([before + 1, before + 1]);
  client.socket.terminate();
});

test("a transaction that the node took before it was asked for is found, whoever asked too early", async () => {
  const from = sender();
  const transfer = { from, to: from, value: "0x2", gas: "0x5208" };
  const url = pair.nodes[0]?.url ?? "";
  const id = await rpc(url, "evm_snapshot");
  const hash = await rpc<string>(url, "eth_sendTransaction", [transfer]);
  await rpc(url, "anvil_dropTransaction", [hash]);
  const lookUp = { method: "eth_getTransactionByHash", params: [hash] };
  const early = ask(gateway.http(), lookUp);
  await expect.poll(() => asked).toBeGreaterThan(0);
  expect(await rpc<string>(url, "eth_sendTransaction", [transfer])).toBe(hash);
  const late = ask(gateway.http(), lookUp);
  const shared = async () => {
    const metrics = await (await gateway.admin("/metrics")).text();
    return /^tollgate_shared_calls_total\{network="net"\} 0$/m.test(metrics);
  };
  await expect.poll(shared).toBe(false);
  letGo();
  expect((await early).body.result).toBeNull();
  expect((await late).body.result).toMatchObject({ hash });
  await rpc(url, "evm_revert", [id]);
});

test("calls that arrive together are one question, about the moment too", async () => {
  letGo();
  const gasPrice = { method: "eth_gasPrice" };
  const calls = [nonce(), gasPrice, nonce(), gasPrice];
  const { body } = await askBatch(gateway.http(), calls);
  const [first, price, ...others] = body.map(({ result }) => result);
  expect(others).toEqual([first, price]);
  expect(asked).toBe(2);
});
