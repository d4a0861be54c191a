import { afterAll, beforeAll, expect, test } from "vitest";
import { type Customer, customerOf } from "../routing/client.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type NodeReply, type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { type Client, connect } from "../websocket/client.ts";

const CUSTOMERS = 10;
/** Of each customer: 100 calls in four ways. */
const SINGLE_HTTP = 40;
const SINGLE_WS = 30;
const BATCH_HTTP = 20;
const BATCH_WS = 10;
const PRICE = 80;
const ADDRESS = `0x${"12".repeat(20)}`;

let node: StandInNode;
let gateway: TestGateway;
let customers: Customer[];

beforeAll(async () => {
  node = await startStandInNode();
  const upstreams = [{ name: "node", url: node.url }];
  gateway = await startTestGateway({
    cache: { memoryBytes: 64_000_000 },
    networks: [{ name: "net", family: "evm", chainId: 1, timeoutMs: 20_000, upstreams }],
  });
  customers = await Promise.all(
    Array.from({ length: CUSTOMERS }, () => customerOf(gateway.storage, "growth")),
  );
});
afterAll(async () => {
  await gateway?.stop();
  await node?.stop();
});

const metric = async (name: string): Promise<number> => {
  const text = await (await gateway.admin("/metrics")).text();
  return Number(new RegExp(`^${name}\\{network="net"\\} (\\d+)$`, "m").exec(text)?.[1] ?? 0);
};

/** The node's answers from now on, each once it is let go. */
function hold(reply: NodeReply): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  node.reply = async () => {
    await promise;
    return reply;
  };
  return resolve;
}

type Answer = { readonly id: unknown; readonly result?: unknown; readonly error?: unknown };
type Got = { readonly answers: readonly Answer[]; readonly charged?: number };

/** Half of them by the tag, half by the number that it stands for now. */
const callOf = (id: number | string, method: string, at: number) => ({
  ...{ jsonrpc: "2.0", id, method },
  params: [ADDRESS, at % 2 === 0 ? "latest" : "0x10"],
});

async function post(key: string, body: object): Promise<Got> {
  const response = await fetch(`${gateway.origin}/net/v3/${key}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answers = [await response.json()].flat() as Answer[];
  return { answers, charged: Number(response.headers.get("x-credits-charged")) };
}

/** All that one customer asks at once, and the ids that it used. */
function askAll(customer: number, method: string, client: Client) {
  const { key } = customers[customer] as Customer;
  const ids: (number | string)[] = [];
  const call = () => {
    const at = ids.length;
    ids.push(at % 3 === 0 ? `${customer}-${at}` : customer * 1000 + at);
    return callOf(ids.at(-1) ?? 0, method, at);
  };
  const calls = (count: number) => Array.from({ length: count }, call);
  const before = client.messages.length;
  const single = calls(SINGLE_HTTP).map((one) => post(key, one));
  const batch = post(key, calls(BATCH_HTTP));
  for (const one of calls(SINGLE_WS)) client.send(JSON.stringify(one));
  client.send(JSON.stringify(calls(BATCH_WS)));
  const messages = client.received(before + SINGLE_WS + 1).then((all): Got => {
    return { answers: all.slice(before).flatMap((text) => JSON.parse(text) as Answer) };
  });
  return { ids, got: Promise.all([...single, batch, messages]) };
}

/** 1,000 identical calls over HTTP and WebSocket, in batches and alone, with ten keys, at once. */
async function thousand(method: string, letGo: () => void) {
  const clients = await Promise.all(
    customers.map(({ key }) => connect(`ws://127.0.0.1:${gateway.port}/net/ws/v3/${key}`)),
  );
  const shared = await metric("tollgate_shared_calls_total");
  const asked = clients.map((client, index) => askAll(index, method, client));
  const joined = async () => (await metric("tollgate_shared_calls_total")) - shared;
  await expect.poll(joined, { timeout: 15_000 }).toBe(999);
  letGo();
  const all = await Promise.all(
    asked.map(async ({ ids, got }) => {
      const given = await got;
      const answers = given.flatMap((one) => one.answers);
      expect(answers.map(({ id }) => id).toSorted(), "each id once").toEqual(ids.toSorted());
      return { answers, charged: given.flatMap(({ charged }) => charged ?? []) };
    }),
  );
  for (const { socket } of clients) socket.terminate();
  return { answers: all.flatMap(({ answers }) => answers), charged: all.map((one) => one.charged) };
}

const usedOfAll = () => Promise.all(customers.map(({ used }) => used()));

test("1,000 identical calls at once are one of the node, and 1,000 charges", async () => {
  const { answers, charged } = await thousand("eth_getBalance", hold({ result: "0x2a" }));
  expect(node.requests.map(({ method, params }) => [method, params])).toEqual([
    ["eth_getBalance", [ADDRESS, "0x10"]],
  ]);
  expect(answers).toHaveLength(1000);
  for (const answer of answers) {
    expect(answer).toEqual({ jsonrpc: "2.0", id: answer.id, result: "0x2a" });
  }
  const expected = [...new Array(SINGLE_HTTP).fill(PRICE), BATCH_HTTP * PRICE];
  expect(charged).toEqual(customers.map(() => expected));
  expect(await metric("tollgate_credits_total")).toBe(1000 * PRICE);
  const each = customers.map(() => 100 * PRICE);
  await expect.poll(usedOfAll, { timeout: 10_000 }).toEqual(each);
  const { answers: later } = await post(customers[0]?.key ?? "", callOf(1, "eth_getBalance", 1));
  expect(later).toEqual([{ jsonrpc: "2.0", id: 1, result: "0x2a" }]);
  expect(node.requests).toHaveLength(1);
});

test("an error of the node is the same for each, and each pays for it; it is not kept", async () => {
  const before = node.requests.length;
  const error = { code: -32000, message: "nonce of another kind" };
  const { answers } = await thousand("eth_getTransactionCount", hold({ error }));
  expect(answers.map((answer) => answer.error)).toEqual(answers.map(() => error));
  expect(node.requests).toHaveLength(before + 1);
  expect(await metric("tollgate_credits_total")).toBe((2 * 1000 + 1) * PRICE);
  node.reply = () => ({ result: "0x1" });
  const { answers: later } = await post(
    customers[0]?.key ?? "",
    callOf(1, "eth_getTransactionCount", 1),
  );
  expect(later).toEqual([{ jsonrpc: "2.0", id: 1, result: "0x1" }]);
});

test("who hangs up leaves alone: the others get their answer, and the node is asked once", async () => {
  const before = node.requests.length;
  const shared = await metric("tollgate_shared_calls_total");
  const letGo = hold({ result: "0x60" });
  const [first, second] = customers as [Customer, Customer];
  const leaver = new AbortController();
  const body = JSON.stringify(callOf(1, "eth_getCode", 0));
  const left = fetch(`${gateway.origin}/net/v3/${first.key}`, {
    ...{ method: "POST", body, signal: leaver.signal },
    headers: { "content-type": "application/json" },
  }).catch((error: unknown) => error);
  await expect.poll(() => node.requests.length).toBe(before + 1);
  const stays = Array.from({ length: 5 }, (_, id) =>
    post(second.key, callOf(id, "eth_getCode", 1)),
  );
  const joined = async () => (await metric("tollgate_shared_calls_total")) - shared;
  await expect.poll(joined).toBe(5);
  leaver.abort();
  expect(await left).toMatchObject({ name: "AbortError" });
  letGo();
  const answers = (await Promise.all(stays)).flatMap((one) => one.answers);
  expect(answers.map(({ result }) => result)).toEqual(new Array(5).fill("0x60"));
  expect(node.requests).toHaveLength(before + 1);
});
