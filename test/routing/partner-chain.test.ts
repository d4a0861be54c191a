import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChainPair, quantity, startChainPair } from "../support/chain-pair.ts";
import { type FaultProxy, startFaultProxy } from "../support/fault-proxy.ts";
import { NONE } from "../support/faults.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { ask, type Call, type Customer, customerOf } from "./client.ts";

const OUTAGE = { kind: "reset", when: "before headers" } as const;
const OTHER_GENESIS = "4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY";
const OTHER_CHAIN = "a primary is of another chain than a partner had said";

let pair: ChainPair;
/** The primaries of the networks of the same names. */
let own: Readonly<Record<"same" | "other", FaultProxy>>;
let paid: FaultProxy;
let slots: Readonly<Record<"own" | "paid", StandInNode>>;
let gateway: TestGateway;
let free: Customer;
let growth: Customer;

beforeAll(async () => {
  pair = await startChainPair();
  const [first, second] = pair.nodes;
  if (first === undefined || second === undefined) throw new Error("no nodes");
  own = { same: await startFaultProxy(first), other: await startFaultProxy(first) };
  paid = await startFaultProxy(second);
  const reply = () => ({ result: 1 });
  slots = { own: await startStandInNode(reply), paid: await startStandInNode(reply) };
  for (const primary of [own.same, own.other]) await primary.set(OUTAGE);
  slots.own.sickness = "reset";
  const network = (name: string, family: string, ...[one, other]: { url: string }[]) => ({
    ...{ name, family },
    upstreams: [
      { name: "own", url: one?.url },
      { name: "paid", url: other?.url, role: "partner" },
    ],
  });
  gateway = await startTestGateway({
    cache: { memoryBytes: 64_000_000 },
    networks: [
      network("same", "evm", own.same, paid),
      network("other", "evm", own.other, paid),
      network("slots", "slot", slots.own, slots.paid),
    ],
  });
  free = await customerOf(gateway.storage, "free");
  growth = await customerOf(gateway.storage, "growth");
});
afterAll(async () => {
  await gateway?.stop();
  for (const node of [own?.same, own?.other, paid, slots?.own, slots?.paid]) await node?.stop();
  await pair?.stop();
});

const send = (network: string, { key }: Customer, call: Call) =>
  ask(`${gateway.origin}/${network}/v3/${key}`, call);
const CHAIN_ID: Call = { method: "eth_chainId" };
const balance = (): Call => ({
  method: "eth_getBalance",
  params: [pair.samples.accounts.sender, quantity(pair.head())],
});

describe("in an outage from the start, of a network whose chain is not configured", () => {
  test.each(["same", "other"])(
    "the partner of %s is asked once for the chain, and answers",
    async (name) => {
      const before = paid.calls.get("eth_chainId") ?? 0;
      const calls = Array.from({ length: 5 }, () => send(name, growth, balance()));
      for (const { status, header } of await Promise.all(calls)) {
        expect([status, header("x-served-by")]).toEqual([200, "partner"]);
      }
      expect(paid.calls.get("eth_chainId")).toBe(before + 1);
      expect((await send(name, growth, CHAIN_ID)).body.result).toBe("0x7a69");
    },
  );

  test("other plans are told nothing, not even the chain", async () => {
    for (const call of [CHAIN_ID, balance(), { method: "eth_blockNumber" }]) {
      expect((await send("same", free, call)).status).toBe(503);
    }
  });

  test("of slots likewise, by the genesis hash", async () => {
    const call = { method: "getBlockTime", params: [900] };
    const { status, header } = await send("slots", growth, call);
    expect([status, header("x-served-by")]).toEqual([200, "partner"]);
    expect((await send("slots", free, call)).status).toBe(503);
  });
});

describe("once a primary answers", () => {
  const servedBy = async (network: string, call: Call) => {
    const { status, header } = await send(network, growth, call);
    return status === 200 ? (header("x-served-by") ?? "primary") : status;
  };

  test("of the chain that the partner said, all go on", async () => {
    await own.same.set(NONE);
    const call = { method: "eth_gasPrice" };
    await expect.poll(() => servedBy("same", call), { timeout: 10_000 }).toBe("primary");
    expect((await send("same", free, CHAIN_ID)).body.result).toBe("0x7a69");
    expect(gateway.log()).not.toContain(OTHER_CHAIN);
  });

  test("of another chain, its word holds: nothing of the partner's stays", async () => {
    // It was kept for those who pay for it.
    const asked = paid.calls.get("eth_getBalance");
    expect((await send("other", growth, balance())).status).toBe(200);
    expect(paid.calls.get("eth_getBalance")).toBe(asked);

    await own.other.set({ kind: "other-chain", chainId: 5 });
    const chainId = async () => (await send("other", growth, CHAIN_ID)).body.result;
    await expect.poll(chainId, { timeout: 10_000 }).toBe("0x5");
    expect(gateway.log()).toContain(OTHER_CHAIN);
    const before = own.other.calls.get("eth_getBalance") ?? 0;
    await expect.poll(() => servedBy("other", balance()), { timeout: 10_000 }).toBe("primary");
    expect(own.other.calls.get("eth_getBalance")).toBe(before + 1);
    expect(paid.calls.get("eth_getBalance")).toBe(asked);
    await own.other.set(OUTAGE);
    const fresh = { method: "eth_gasPrice" };
    await expect.poll(() => servedBy("other", fresh), { timeout: 5000 }).toBe(503);
  });

  test("of another genesis hash, likewise", async () => {
    slots.own.genesisHash = OTHER_GENESIS;
    slots.own.sickness = undefined;
    const call = { method: "getBlockTime", params: [901] };
    await expect.poll(() => servedBy("slots", call), { timeout: 10_000 }).toBe("primary");
    expect(gateway.log()).toContain(OTHER_GENESIS);
    slots.own.sickness = "reset";
    const fresh = { method: "getEpochInfo" };
    await expect.poll(() => servedBy("slots", fresh), { timeout: 5000 }).toBe(503);
  });
});
