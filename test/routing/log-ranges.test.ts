import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { ask } from "./client.ts";

const HEAD = 100;
const WINDOW = 10;

let node: StandInNode;
let gateway: TestGateway;

beforeAll(async () => {
  node = await startStandInNode(() => ({ result: [] }));
  node.head = HEAD;
  const upstreams = [{ name: "node", url: node.url }];
  const network = { family: "evm", chainId: 1, upstreams };
  gateway = await startTestGateway({
    networks: [
      { name: "net", ...network },
      { name: "windowed", ...network, window: WINDOW },
    ],
  });
});
afterAll(async () => {
  await gateway?.stop();
  await node?.stop();
});

const hex = (number: number) => `0x${number.toString(16)}`;

/** An error that cost nothing, and for which no node was asked. */
async function refusalOf(method: string, params: unknown[], network: string) {
  const before = node.requests.length;
  const { status, header, body } = await ask(gateway.http(network), { method, params });
  expect(node.requests.slice(before)).toEqual([]);
  expect({ status, charged: header("x-credits-charged") }).toEqual({ status: 200, charged: "0" });
  return body.error;
}

test.each([
  ["block range extends beyond current head block", { fromBlock: "0x1", toBlock: hex(HEAD + 1) }],
  ["block range extends beyond current head block", { fromBlock: hex(200), toBlock: hex(300) }],
  ["invalid block range params", { fromBlock: hex(HEAD + 1) }],
  ["invalid block range params", { fromBlock: hex(HEAD + 1), toBlock: "latest" }],
  ["invalid block range params", { fromBlock: "latest", toBlock: hex(HEAD - 1) }],
  ["invalid block range params", { fromBlock: "0x5", toBlock: "0x4" }],
])("eth_getLogs: %s, free and without a node, for %j", async (words, filter) => {
  const error = await refusalOf("eth_getLogs", [filter], "net");
  expect(error?.code).toBe(-32602);
  expect(error?.message.startsWith(`${words}; want `)).toBe(true);
});

test("a range that ends with the block of X-Min-Block waits for it", async () => {
  const filter = { fromBlock: hex(HEAD), toBlock: hex(HEAD + 1) };
  node.head = HEAD + 1;
  const { body } = await ask(
    gateway.http(),
    { method: "eth_getLogs", params: [filter] },
    { "x-min-block": String(HEAD + 1) },
  );
  expect(body).toMatchObject({ result: [] });
});

test("eth_feeHistory does not reach outside of a window", async () => {
  const outside = await refusalOf("eth_feeHistory", [hex(WINDOW + 2), "latest", []], "windowed");
  expect(outside).toMatchObject({
    code: -32000,
    message: `archive requests are not available on this network: only the latest ${WINDOW} blocks are served`,
  });
  const params = [hex(WINDOW), "latest", []];
  const { body } = await ask(gateway.http("windowed"), { method: "eth_feeHistory", params });
  expect(body.error).toBeUndefined();
});
