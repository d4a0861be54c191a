import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChainPair, quantity, startChainPair } from "../support/chain-pair.ts";
import { type FaultProxy, startFaultProxy } from "../support/fault-proxy.ts";
import { NONE } from "../support/faults.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { ask, type Call, type Customer, customerOf } from "./client.ts";

const OUTAGE = { kind: "status", status: 500 } as const;
const SICK = { error: { code: -32603, message: "Internal error" } };
const WINDOW = 20;

let pair: ChainPair;
let own: FaultProxy;
let paid: FaultProxy;
let slots: Readonly<Record<"own" | "paid", StandInNode>>;
let gateway: TestGateway;
let free: Customer;
let growth: Customer;
/** By so much the gateway's clock is ahead. */
let skippedMs = 0;

beforeAll(async () => {
  pair = await startChainPair();
  const [first, second] = pair.nodes;
  if (first === undefined || second === undefined) throw new Error("no nodes");
  own = await startFaultProxy(first);
  paid = await startFaultProxy(second);
  const reply = () => ({ result: 1 });
  slots = { own: await startStandInNode(reply), paid: await startStandInNode(reply) };
  const upstreams = (one: { url: string }, other: { url: string }) => [
    { name: "own", url: one.url },
    { name: "paid", url: other.url, role: "partner" },
  ];
  const evm = { family: "evm", chainId: 31_337, window: WINDOW };
  gateway = await startTestGateway({
    clock: { now: Date.now, monotonic: () => performance.now() + skippedMs },
    cache: { memoryBytes: 64_000_000 },
    plans: { free: { creditsPerSecond: 100_000 } },
    networks: [
      { ...evm, name: "net", timeoutMs: 1500, upstreams: upstreams(own, paid) },
      {
        ...{ name: "slots", family: "slot", timeoutMs: 1500 },
        upstreams: upstreams(slots.own, slots.paid),
      },
    ],
  });
  free = await customerOf(gateway.storage, "free");
  growth = await customerOf(gateway.storage, "growth");
});
afterAll(async () => {
  await gateway?.stop();
  for (const node of [own, paid, slots?.own, slots?.paid]) await node?.stop();
  await pair?.stop();
});

const url = (network: string, { key }: Customer) => `${gateway.origin}/${network}/v3/${key}`;
const send = (network: string, customer: Customer, call: Call) => ask(url(network, customer), call);
const numberFor = async (customer: Customer) =>
  Number((await send("net", customer, { method: "eth_blockNumber" })).body.result);

describe("of a chain of blocks, in an outage in which only a partner's head moves on", () => {
  const block = (tag: string): Call => ({ method: "eth_getBlockByNumber", params: [tag, false] });
  const calls = (tag: string): readonly Call[] => [
    block(tag),
    { method: "eth_call", params: [{ data: "0x4360005260206000f3" }, tag] },
    { method: "eth_getBalance", params: [pair.samples.accounts.sender, tag] },
  ];
  let shown: number;
  let hash: string;

  test("plans with failover see its head, and what it answered is kept for them", async () => {
    shown = pair.head();
    await expect.poll(() => numberFor(free), { timeout: 10_000 }).toBe(shown);
    for (const call of calls("latest")) expect((await send("net", free, call)).status).toBe(200);
    await own.set(OUTAGE);
    const [, node] = pair.nodes;
    if (node !== undefined) await pair.mine(3, [node]);
    const headForPaying = async () => {
      skippedMs += 2000;
      const { header, body } = await send("net", growth, block("latest"));
      hash = (body.result as { hash: string } | undefined)?.hash ?? "";
      return header("x-block");
    };
    await expect.poll(headForPaying, { timeout: 20_000 }).toBe(String(shown + 3));
    for (const call of [...calls("latest"), ...calls(quantity(shown + 2))]) {
      expect((await send("net", growth, call)).status).toBe(200);
    }
    expect(await numberFor(growth)).toBe(shown + 3);
    const asked = paid.count((method) => method !== "eth_getBlockByNumber");
    for (const call of calls("latest")) {
      expect((await send("net", growth, call)).header("x-block")).toBe(String(shown + 3));
    }
    expect(paid.count((method) => method !== "eth_getBlockByNumber")).toBe(asked);
  });

  test("the head of other plans stays at the last block that a primary has shown", async () => {
    expect(await numberFor(free)).toBe(shown);
    // They were kept.
    for (const call of calls("latest")) {
      const { status, header } = await send("net", free, call);
      expect([status, header("x-block")]).toEqual([200, String(shown)]);
    }
  });

  test("no answer of a block above is given to them, by whatever name they ask for it", async () => {
    for (const tag of [quantity(shown + 2), quantity(shown + 3)]) {
      for (const call of calls(tag)) expect((await send("net", free, call)).status).toBe(503);
    }
    const byHash = { method: "eth_getBlockByHash", params: [hash, false] };
    expect((await send("net", growth, byHash)).status).toBe(200);
    expect((await send("net", free, byHash)).status).toBe(503);
    const { body } = await ask(url("net", free), block("latest"), {
      "x-min-block": `${shown + 1}`,
    });
    expect(body.error?.message).toBe(`block ${shown + 1} is not available yet`);
  });

  test("their window ends where their head does", async () => {
    const lowest = block(quantity(shown - WINDOW + 1));
    expect((await send("net", growth, lowest)).body.error?.message).toContain("archive requests");
    expect((await send("net", free, lowest)).body.error?.message).not.toContain("archive");
  });

  test("once a primary answers again their head never goes back, and ends where it is for all", async () => {
    const seen = [await numberFor(free)];
    await own.set(NONE);
    const answered = async () => {
      seen.push(await numberFor(free));
      return (await send("net", free, { method: "eth_gasPrice" })).status;
    };
    await expect.poll(answered, { timeout: 10_000, interval: 20 }).toBe(200);
    expect(await numberFor(free)).toBe(shown);
    await pair.catchUp();
    const moved = async () => {
      seen.push(await numberFor(free));
      return seen.at(-1);
    };
    await expect.poll(moved, { timeout: 15_000 }).toBe(shown + 3);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(await numberFor(growth)).toBe(shown + 3);
    for (const call of calls("latest")) {
      const { status, header } = await send("net", free, call);
      expect([status, header("x-block")]).toEqual([200, String(shown + 3)]);
    }
  });
});

describe("of a chain of slots, in an outage in which only a partner's head moves on", () => {
  const time = (slot: number): Call => ({ method: "getBlockTime", params: [slot] });

  test("plans without failover get neither its slots nor what it answered of them", async () => {
    const before = await send("slots", free, { method: "getBlockTime", params: [960] });
    expect(before.status).toBe(200);
    slots.own.sickness = SICK;
    slots.paid.slots = { processed: 1100, confirmed: 1099, finalized: 1068 };
    const told = { context: { slot: 1068 }, value: 1 };
    slots.paid.reply = ({ method }) => ({ result: method === "getBalance" ? told : 7 });
    const minimum = { "x-min-block": "1090" };
    const follows = async () => {
      skippedMs += 3000;
      return (await ask(url("slots", growth), time(950), minimum)).status;
    };
    await expect.poll(follows, { timeout: 20_000 }).toBe(200);

    const account = "11111111111111111111111111111111";
    const balance = { method: "getBalance", params: [account] };
    const [shown, later] = [time(955), time(1050)];
    for (const call of [balance, shown, later])
      expect((await send("slots", growth, call)).status).toBe(200);
    const asked = slots.paid.requests.length;
    expect((await send("slots", growth, later)).body.result).toBe(7);
    expect(slots.paid.requests).toHaveLength(asked);
    expect((await send("slots", free, later)).status).toBe(503);
    expect((await send("slots", free, { method: "getSlot" })).status).toBe(503);
    const { body } = await ask(url("slots", free), time(940), minimum);
    expect(body.error?.message).toBe("block 1090 is not available yet");
    // A primary had shown that slot to be final before.
    expect((await send("slots", free, shown)).body.result).toBe(7);

    slots.own.sickness = undefined;
    const slot = { method: "getSlot", params: [{ commitment: "confirmed" }] };
    const slotForFree = async () => (await send("slots", free, slot)).body.result;
    await expect.poll(slotForFree, { timeout: 10_000 }).toBe(999);
  });
});
