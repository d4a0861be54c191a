import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { celoCalls, zksyncCalls } from "../outside/viem-chains.ts";
import { ask, customerOf } from "../routing/client.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";

const B = `0x${"bb".repeat(20)}`;
const C = `0x${"cc".repeat(20)}`;
const CURRENCY = `0x${"ce".repeat(20)}`;
const HEAD = 0x64;

let node: StandInNode;
let gateway: TestGateway;

beforeAll(async () => {
  node = await startStandInNode(({ method }) => ({
    result: method === "eth_getLogs" ? [] : "0x5208",
  }));
  node.head = HEAD;
  const upstreams = [{ name: "node", url: node.url }];
  const network = { family: "evm", chainId: 1, upstreams };
  gateway = await startTestGateway({
    cache: { memoryBytes: 1_000_000 },
    networks: [
      { name: "net", ...network },
      { name: "refusing", ...network, unknownKeys: "refuse" },
      { name: "windowed", ...network, window: 8 },
    ],
  });
});
afterAll(async () => {
  await gateway?.stop();
  await node?.stop();
});

let before = 0;
beforeEach(() => {
  before = node.requests.length;
});
const asked = () => node.requests.slice(before);
const callsSent = () => asked().map(({ params }) => params[0]);

const post = async (body: string, url = gateway.http()) => {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  return (await response.json()) as { result?: unknown; error?: { code: number; message: string } };
};
const call = (object: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[${object},"latest"]}`;
const logs = (filter: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[${filter}]}`;

describe("the chains of viem whose calls have keys of their own", () => {
  test("celo's feeCurrency reaches the node", async () => {
    const client = celoCalls(gateway.http(), CURRENCY);
    expect(await client.call(B)).toBe("0x5208");
    expect(await client.estimateGas(B)).toBe(0x5208n);
    expect(asked().map(({ method }) => method)).toEqual(["eth_call", "eth_estimateGas"]);
    for (const sent of callsSent()) expect(sent).toMatchObject({ to: B, feeCurrency: CURRENCY });
  });

  test("zkSync's eip712Meta reaches the node", async () => {
    const own = { gasPerPubdata: 50_000n, paymaster: C, paymasterInput: "0x8c5a" };
    const client = zksyncCalls(gateway.http(), own);
    expect(await client.call(B)).toBe("0x5208");
    expect(await client.estimateGas(B)).toBe(0x5208n);
    for (const sent of callsSent()) {
      expect(sent).toMatchObject({
        to: B,
        eip712Meta: { gasPerPubdata: "0xc350", paymasterParams: { paymaster: C } },
      });
    }
  });
});

describe("a key that the gateway does not know", () => {
  test("reaches the node with the digits that the client wrote, and is part of what is kept", async () => {
    const of = (digits: string) => call(`{"to":"${B}","rate":${digits}}`);
    const digits = ["1.0", "1", "123456789012345678901234567890"];
    for (const each of [...digits, ...digits]) await post(of(each));
    expect(asked()).toHaveLength(digits.length);
    for (const [at, each] of digits.entries()) {
      expect(asked()[at]?.text).toContain(`"rate":${each}}`);
    }
  });

  test("reaches the node in a filter, beside blocks that are numbers", async () => {
    await post(logs('{"limit":7,"address":[]}'));
    expect(callsSent()).toEqual([
      { limit: 7, address: [], fromBlock: `0x${HEAD.toString(16)}`, toBlock: "0x64" },
    ]);
  });

  test("is refused, free and unasked, where the network refuses it", async () => {
    const params = [{ to: B, feeCurrency: CURRENCY }, "latest"];
    const { body, header } = await ask(gateway.http("refusing"), { method: "eth_call", params });
    expect(body.error?.code).toBe(-32602);
    expect(body.error?.message).toContain(
      'unknown field "feeCurrency"; want an object with any of',
    );
    expect(header("x-credits-charged")).toBe("0");
    expect(asked()).toEqual([]);
  });
});

describe("a known key in another case gets around nothing", () => {
  const expectRefused = async (body: string, url?: string) => {
    const { error } = await post(body, url);
    expect(error?.code, body).toBe(-32602);
    expect(error?.message, body).toContain("in case alone");
    expect(asked(), body).toEqual([]);
  };

  test("not a key's list of contracts", async () => {
    const { accountId, key } = await customerOf(gateway.storage, "free");
    const [record] = await gateway.storage.keys.list(accountId);
    const id = record?.key.id ?? "";
    await gateway.storage.keys.update(id, { allow: { contract: [B] } });
    const url = `${gateway.origin}/net/v3/${key}`;
    expect((await post(call(`{"to":"${B}"}`), url)).result).toBe("0x5208");
    before = node.requests.length;
    await expectRefused(call(`{"to":"${B}","To":"${C}"}`), url);
    await expectRefused(call(`{"to":"${B}","\\u0054O":"${C}"}`), url);
    await expectRefused(logs(`{"address":"${B}","addre\u017fs":[]}`), url);
  });

  test("not the cap of gas, the window, or the place of a call in the cache", async () => {
    await expectRefused(call(`{"to":"${B}","gas":"0x1","Gas":"0x7fffffffffffffff"}`));
    const windowed = gateway.http("windowed");
    await expectRefused(logs('{"fromBlock":"0x64","fromBloc\u212a":"0x1"}'), windowed);
    await expectRefused(logs('{"fromBlock":"0x60","toBlock":"0x60","BlockHash":"0x1"}'), windowed);
    await expectRefused(call(`{"to":"${B}","Input":"0x12"}`));
  });
});
