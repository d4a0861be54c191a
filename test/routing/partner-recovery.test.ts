import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChainPair, startChainPair } from "../support/chain-pair.ts";
import { type FaultProxy, startFaultProxy } from "../support/fault-proxy.ts";
import { NONE } from "../support/faults.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { ask, type Call, type Customer, customerOf } from "./client.ts";

const SICK = { error: { code: -32603, message: "Internal error" } };
/** So much later the partner is left alone: half of it for the probe's turn, the rest for questions. */
const LATEST_MS = 1000;

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
  gateway = await startTestGateway({
    clock: { now: Date.now, monotonic: () => performance.now() + skippedMs },
    networks: [
      { name: "net", family: "evm", chainId: 31_337, upstreams: upstreams(own, paid) },
      { name: "slots", family: "slot", upstreams: upstreams(slots.own, slots.paid) },
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

/** Of an account that nobody has used: no call shares another's answer. */
let accounts = 0xabc000;
const evmCall = (): Call => {
  accounts += 1;
  const account = `0x${accounts.toString(16).padStart(40, "0")}`;
  return { method: "eth_getBalance", params: [account, "latest"] };
};
let slot = 900;
const slotCall = (): Call => {
  slot -= 1;
  return { method: "getBlockTime", params: [slot] };
};

describe.each([
  {
    name: "net",
    call: evmCall,
    ail: () => own.set({ kind: "status", status: 500 }),
    recover: () => own.set(NONE),
  },
  {
    name: "slots",
    call: slotCall,
    ail: () => {
      slots.own.sickness = SICK;
    },
    recover: () => {
      slots.own.sickness = undefined;
    },
  },
])("of the network $name", ({ name, call, ail, recover }) => {
  const url = ({ key }: Customer) => `${gateway.origin}/${name}/v3/${key}`;
  const servedBy = async () => {
    const { status, header } = await ask(url(growth), call());
    return status === 200 ? (header("x-served-by") ?? "primary") : `status ${status}`;
  };
  /** Calls that the primary failed, the gateway's own probes among them. */
  const failures = async () => {
    const text = await (await gateway.admin("/metrics")).text();
    const series = `tollgate_upstream_calls_total{network="${name}",upstream="own",outcome="internal"} `;
    return Number(
      text
        .split("\n")
        .find((line) => line.startsWith(series))
        ?.slice(series.length),
    );
  };

  test("a primary that answers another plan's call again gets those with failover within 1 s", async () => {
    await expect.poll(servedBy, { timeout: 5000 }).toBe("primary");
    await ail();
    await expect.poll(servedBy, { timeout: 5000 }).toBe("partner");
    // The outage lasts until the probe's pauses are as long as they get.
    for (let probes = 0; probes < 5; probes += 1) {
      const before = await failures();
      skippedMs += 9000;
      await expect.poll(failures, { timeout: 5000 }).toBeGreaterThan(before);
      expect(await servedBy()).toBe("partner");
    }

    await recover();
    const answered = async () => (await ask(url(free), call())).status;
    await expect.poll(answered, { interval: 20 }).toBe(200);
    const begun = performance.now();
    await expect.poll(servedBy, { timeout: 9000, interval: 20 }).toBe("primary");
    expect(performance.now() - begun).toBeLessThan(LATEST_MS);
    for (let calls = 0; calls < 20; calls += 1) expect(await servedBy()).toBe("primary");
  });
});
