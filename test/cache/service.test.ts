import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ask, askBatch, type Call, customerOf } from "../routing/client.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type NodeRequest, type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { connect } from "../websocket/client.ts";

const HEAD = 200;
const WINDOW = 128;
const ADDRESS = `0x${"12".repeat(20)}`;
const quantity = (number: number): string => `0x${number.toString(16)}`;
const hashOf = (number: number): string => `0xa1${(number + 1).toString(16).padStart(62, "0")}`;
const numberOf = (hash: string): number => Number(`0x${hash.slice(4)}`) - 1;
const transactionOf = (number: number): string => `0xb2${number.toString(16).padStart(62, "0")}`;

let node: StandInNode;
let partner: StandInNode;
let gateway: TestGateway;

beforeEach(async () => {
  [node, partner] = await Promise.all([startStandInNode(answerTo), startStandInNode(answerTo)]);
  node.head = HEAD;
  partner.head = HEAD;
  const upstreams = [{ name: "node", url: node.url }];
  const network = { family: "evm", chainId: 1, timeoutMs: 3000, upstreams };
  const backed = [...upstreams, { name: "paid", url: partner.url, role: "partner" }];
  gateway = await startTestGateway({
    cache: { memoryBytes: 64_000_000 },
    networks: [
      { ...network, name: "net" },
      { ...network, name: "latest", window: WINDOW },
      { ...network, name: "backed", upstreams: backed },
    ],
  });
});
afterEach(async () => {
  await gateway?.stop();
  await Promise.all([node?.stop(), partner?.stop()]);
});

function answerTo({ method, params }: NodeRequest) {
  const [first = "", second] = params as [string, string];
  switch (method) {
    case "eth_getBlockByNumber":
      return { result: { number: first, hash: hashOf(Number(first)) } };
    case "eth_getBlockByHash":
      return { result: { number: quantity(numberOf(first)), hash: first } };
    case "eth_getTransactionByHash": {
      const number = Number(`0x${first.slice(4)}`);
      const block = { blockNumber: quantity(number), blockHash: hashOf(number) };
      return { result: { ...block, hash: first, type: "0x2" } };
    }
    default:
      return { result: second };
  }
}

const balance = (block: string): Call => ({ method: "eth_getBalance", params: [ADDRESS, block] });

describe("what was answered", () => {
  test("costs the same, names its block, and reaches no node again, in whatever way it is asked", async () => {
    const url = gateway.http("net");
    const first = await ask(url, balance("latest"));
    const again = await ask(url, balance("latest"));
    expect(again.body).toEqual(first.body);
    for (const { header } of [first, again]) {
      expect(header("x-credits-charged")).toBe("80");
      expect(header("x-block")).toBe(String(HEAD));
    }
    const batch = await askBatch(url, [balance(quantity(HEAD)), balance("latest")]);
    expect(batch.body.map(({ result }) => result)).toEqual([quantity(HEAD), quantity(HEAD)]);
    expect(batch.header("x-credits-charged")).toBe("160");
    const client = await connect(gateway.ws("net"));
    client.send(JSON.stringify({ jsonrpc: "2.0", id: "a", ...balance("latest") }));
    expect(JSON.parse((await client.received(1))[0] ?? "")).toEqual({
      ...{ jsonrpc: "2.0", id: "a", result: quantity(HEAD) },
    });
    client.socket.terminate();
    expect(node.requests).toHaveLength(1);
  });

  test("on one network is not given on another, and is to every key", async () => {
    await ask(gateway.http("net"), balance("latest"));
    const { key } = await customerOf(gateway.storage, "free");
    await ask(`${gateway.origin}/net/v3/${key}`, balance("latest"));
    expect(node.requests).toHaveLength(1);
    await ask(gateway.http("latest"), balance("latest"));
    expect(node.requests).toHaveLength(2);
  });

  test.each([
    ["of another block", { number: quantity(HEAD - 2), hash: hashOf(HEAD - 2) }],
    ["of another fork", { number: quantity(HEAD), hash: hashOf(7) }],
    ["cut down to nothing", {}],
    ["null", null],
  ])("where it is %s, by number, it is not given again", async (_, wrong) => {
    node.reply = (request) => (node.requests.length <= 1 ? { result: wrong } : answerTo(request));
    const call = { method: "eth_getBlockByNumber", params: [quantity(HEAD), false] };
    await ask(gateway.http("net"), call);
    const { body } = await ask(gateway.http("net"), call);
    expect(body.result).toMatchObject({ hash: hashOf(HEAD) });
  });

  test("of a partner is kept for all, and then no partner's", async () => {
    const { key } = await customerOf(gateway.storage, "growth");
    const url = `${gateway.origin}/backed/v3/${key}`;
    await ask(url, balance(quantity(HEAD - 1)));
    node.sickness = { status: 500, body: "" };
    const call = balance(quantity(HEAD));
    expect((await ask(gateway.http("backed"), call)).status).toBe(503);
    const paid = await ask(url, call);
    expect([paid.body.result, paid.header("x-served-by")]).toEqual([quantity(HEAD), "partner"]);
    const asked = partner.requests.length;
    for (const address of [url, gateway.http("backed")]) {
      const { status, header, body } = await ask(address, call);
      expect([status, body.result, header("x-served-by")]).toEqual([200, quantity(HEAD), null]);
    }
    expect(partner.requests).toHaveLength(asked);
  });
});

describe("X-Min-Block", () => {
  test("is never answered from what was kept of an older `latest`", async () => {
    const url = gateway.http("net");
    expect((await ask(url, balance("latest"))).body.result).toBe(quantity(HEAD));
    node.head = HEAD + 1;
    const { body, header } = await ask(url, balance("latest"), { "X-Min-Block": `${HEAD + 1}` });
    expect([body.result, header("x-block")]).toEqual([quantity(HEAD + 1), String(HEAD + 1)]);
  });

  test("of a block that does not come is no answer, although one to the number is kept", async () => {
    const url = gateway.http("net");
    await ask(url, balance(quantity(HEAD)));
    const { body, header } = await ask(url, balance(quantity(HEAD)), { "X-Min-Block": "999" });
    expect(body.error).toMatchObject({ message: "block 999 is not available yet" });
    expect(header("x-credits-charged")).toBe("0");
  });
});

test("what has left the window is refused by its hash, kept or not, free of charge", async () => {
  const url = gateway.http("latest");
  const oldest = HEAD - WINDOW + 1;
  const calls = [
    { method: "eth_getBlockByHash", params: [hashOf(oldest), false] },
    { method: "eth_getTransactionByHash", params: [transactionOf(oldest)] },
  ];
  for (const call of calls) await ask(url, call);
  const asked = node.requests.length;
  for (const call of calls) {
    const { body, header } = await ask(url, call);
    expect([body.error, header("x-credits-charged")]).toEqual([undefined, "80"]);
  }
  node.head = HEAD + 1;
  await ask(url, { method: "eth_blockNumber" }, { "X-Min-Block": `${HEAD + 1}` });
  for (const call of calls) {
    const { body, header } = await ask(url, call);
    expect(body.error?.message, call.method).toMatch(/^archive requests are not available/);
    expect(header("x-credits-charged")).toBe("0");
  }
  expect(node.requests).toHaveLength(asked);
});

test("/metrics counts hits, misses and what is kept", async () => {
  for (const block of ["latest", "latest", quantity(HEAD)]) {
    await ask(gateway.http("net"), balance(block));
  }
  const text = await (await gateway.admin("/metrics")).text();
  const lines = text.split("\n").filter((line) => /^tollgate_(cache|shared)/.test(line));
  expect(lines).toEqual(
    expect.arrayContaining([
      'tollgate_cache_hits_total{network="net"} 2',
      'tollgate_cache_misses_total{network="net"} 1',
      'tollgate_cache_hits_total{network="latest"} 0',
      'tollgate_shared_calls_total{network="net"} 0',
      "tollgate_cache_entries 1",
      "tollgate_cache_evicted_total 0",
      expect.stringMatching(/^tollgate_cache_bytes [1-9]\d\d$/),
    ]),
  );
});
