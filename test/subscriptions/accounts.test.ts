import { afterEach, beforeEach, expect, test } from "vitest";
import { type AccountNode, startAccountNode } from "../support/account-node.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { follow, SlotChain } from "../support/slot-chain.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { StreamClient } from "./stream.ts";

const ACCOUNT = "Ci2epbQ62bbXHkS7b8RPbocbYfmKw8P8QUn9kZho3KEo";
const PROGRAM = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
/** Beyond 2^53, as of nearly every account. */
const EPOCH = "18446744073709551615";

let nodes: readonly StandInNode[];
let streams: readonly AccountNode[];
let gateway: TestGateway;
const clients: StreamClient[] = [];

beforeEach(async () => {
  const chain = new SlotChain();
  nodes = await Promise.all([startStandInNode(), startStandInNode()]);
  for (const node of nodes) follow(node, chain);
  streams = await Promise.all([startAccountNode(), startAccountNode()]);
  const upstreams = nodes.map(({ url }, at) => ({ name: `n${at}`, url, ws: streams[at]?.url }));
  gateway = await startTestGateway({
    networks: [
      { name: "slots", family: "slot", upstreams },
      {
        name: "quiet",
        family: "slot",
        upstreams: nodes.map(({ url }, at) => ({ name: `n${at}`, url })),
      },
    ],
  });
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.end();
  await gateway?.stop();
  await Promise.all([...nodes, ...streams].map((each) => each.stop().catch(() => undefined)));
});

const open = async (url = gateway.ws()): Promise<StreamClient> => {
  const client = await StreamClient.open(url);
  clients.push(client);
  return client;
};

const account = (lamports: number, data = ""): string =>
  `{"lamports":${lamports},"data":["${data}","base64"],"owner":"${PROGRAM}","executable":false,"rentEpoch":${EPOCH},"space":0}`;
const at = (slot: number, value: string): string => `{"context":{"slot":${slot}},"value":${value}}`;

/** The node that tells, and the one that does not. */
const using = async (): Promise<{ told: number; other: number }> => {
  await expect.poll(() => streams.reduce((sum, one) => sum + one.open, 0)).toBe(1);
  const told = streams.findIndex((one) => one.open === 1);
  return { told, other: 1 - told };
};

/** What nodes say from now on when they are asked for the account. */
function answerAccount(slot: number, value: string): void {
  for (const node of nodes) {
    const before = node.reply;
    node.reply = (request) =>
      request.method === "getAccountInfo"
        ? { resultText: `{"context":{"apiVersion":"3.0.14","slot":${slot}},"value":${value}}` }
        : before(request);
  }
}

test("an account's changes are told as its node tells them, once for all who ask alike", async () => {
  const config = { encoding: "base64", commitment: "confirmed" };
  const [one, two] = [await open(), await open()];
  const ids = [
    await one.subscribeTo("accountSubscribe", ACCOUNT, config),
    await two.subscribeTo("accountSubscribe", ACCOUNT, { ...config, dataSlice: null }),
  ];
  const { told } = await using();
  streams[told]?.tell(at(7, account(5)));
  streams[told]?.tell(at(8, account(6)));
  for (const [index, client] of [one, two].entries()) {
    const all = await client.until(ids[index] ?? 0, 2);
    expect(all.map(({ result }) => result)).toEqual([
      JSON.parse(at(7, account(5))),
      JSON.parse(at(8, account(6))),
    ]);
  }
  expect(streams.flatMap(({ asked }) => asked)).toEqual([
    {
      method: "accountSubscribe",
      params: [ACCOUNT, { commitment: "confirmed", encoding: "base64" }],
    },
  ]);
  one.end();
  expect(await two.ask("accountUnsubscribe", [ids[1]])).toMatchObject({ result: true });
  await expect.poll(() => streams[told]?.open).toBe(0);
});

test("where its network is built anew, a node of that tells, and what changed meanwhile is told", async () => {
  const client = await open();
  const id = await client.subscribeTo("accountSubscribe", ACCOUNT);
  const { told, other } = await using();
  streams[told]?.tell(at(7, account(5)));
  await client.until(id, 1);
  answerAccount(9, account(6));
  const upstreams = [{ name: "another", url: nodes[other]?.url, ws: streams[other]?.url }];
  await gateway.reload([{ name: "slots", family: "slot", upstreams }]);
  await client.until(id, 2);
  await expect.poll(() => streams.map(({ open: count }) => count)[told]).toBe(0);
  streams[other]?.tell(at(10, account(7)));
  const all = await client.until(id, 3);
  expect(all.map(({ result }) => result)).toEqual(
    [at(7, account(5)), at(9, account(6)), at(10, account(7))].map((text) => JSON.parse(text)),
  );
});

test("where its node ends, another tells, and what changed meanwhile is told to the digit", async () => {
  const texts: string[] = [];
  const client = await open();
  client.socket.on("message", (data) => texts.push(String(data)));
  const id = await client.subscribeTo("accountSubscribe", ACCOUNT);
  const { told, other } = await using();
  streams[told]?.tell(at(7, account(5)));
  await client.until(id, 1);
  answerAccount(9, account(6));
  await streams[told]?.stop();
  await client.until(id, 2);
  expect(texts.at(-1)).toContain(`"rentEpoch":${EPOCH}`);
  await expect.poll(() => streams[other]?.open).toBe(1);
  // The same state again is no change.
  streams[other]?.tell(at(9, account(6)));
  streams[other]?.tell(at(10, account(7)));
  const all = await client.until(id, 3);
  expect(all.map(({ result }) => result)).toEqual(
    [at(7, account(5)), at(9, account(6)), at(10, account(7))].map((text) => JSON.parse(text)),
  );
});

test("a program's accounts are told by themselves, and those that changed while no node told", async () => {
  const client = await open();
  const id = await client.subscribeTo("programSubscribe", PROGRAM, {
    filters: [{ dataSize: 165 }],
  });
  const { told, other } = await using();
  const of = (pubkey: string, lamports: number) =>
    `{"pubkey":"${pubkey}","account":${account(lamports)}}`;
  streams[told]?.tell(at(7, of("a", 1)));
  streams[told]?.tell(at(7, of("b", 1)));
  await client.until(id, 2);
  const asked: unknown[] = [];
  for (const node of nodes) {
    const before = node.reply;
    node.reply = (request) => {
      if (request.method !== "getProgramAccounts") return before(request);
      asked.push(request.params);
      const value = `[${of("a", 1)},${of("b", 2)}]`;
      return { resultText: `{"context":{"slot":9},"value":${value}}` };
    };
  }
  await streams[told]?.stop();
  await client.until(id, 3);
  await expect.poll(() => streams[other]?.open).toBe(1);
  expect(asked).toEqual([[PROGRAM, { filters: [{ dataSize: 165 }], withContext: true }]]);
  expect(client.of(id).map(({ result }) => result)).toEqual(
    [at(7, of("a", 1)), at(7, of("b", 1)), at(9, of("b", 2))].map((text) => JSON.parse(text)),
  );
});

test("where no node tells for ten seconds, or what changed cannot be had, its client is told so", async () => {
  const client = await open();
  await client.subscribeTo("accountSubscribe", ACCOUNT);
  const { told } = await using();
  for (const node of nodes) {
    const before = node.reply;
    node.reply = (request) =>
      request.method === "getAccountInfo"
        ? { error: { code: -32000, message: "no" } }
        : before(request);
  }
  await streams[told]?.stop();
  expect(await client.closed).toEqual({ code: 1013, reason: "behind" });
});

test("without a node with ws there are none", async () => {
  const client = await open(gateway.ws("quiet"));
  const { error } = await client.ask("accountSubscribe", [ACCOUNT]);
  expect(error).toMatchObject({ code: -32000, message: "not available on this network" });
});
