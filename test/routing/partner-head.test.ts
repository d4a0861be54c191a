import { afterAll, beforeAll, expect, test } from "vitest";
import { rpc } from "../../src/dev/rpc.ts";
import { type ChainPair, startChainPair } from "../support/chain-pair.ts";
import { type FaultProxy, startFaultProxy } from "../support/fault-proxy.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { ask, type Call, type Customer, customerOf } from "./client.ts";

const UNAVAILABLE = { code: -32603, message: "no upstream could answer" };
/** Nobody listens there: the primary was never up, so that the network's head is its partner's. */
const NOWHERE = "http://127.0.0.1:1";

let pair: ChainPair;
let balance: Call;
let never: TestGateway;
let way: FaultProxy;
/** By so much the gateway's clock is ahead. */
let skippedMs = 0;
let customers: Readonly<Record<"free" | "growth", Customer>>;

beforeAll(async () => {
  pair = await startChainPair({ count: 1 });
  const [node] = pair.nodes;
  balance = { method: "eth_getBalance", params: [pair.samples.accounts.sender, "latest"] };
  if (node === undefined) throw new Error("no node");
  way = await startFaultProxy(node);
  never = await startTestGateway({
    clock: { now: Date.now, monotonic: () => performance.now() + skippedMs },
    networks: [
      {
        ...{ name: "net", family: "evm", chainId: 31_337, partnerCaps: { day: 100 } },
        upstreams: [
          { name: "own", url: NOWHERE },
          { name: "paid", url: way.url, role: "partner" },
        ],
      },
    ],
  });
  customers = {
    free: await customerOf(never.storage, "free"),
    growth: await customerOf(never.storage, "growth"),
  };
});
afterAll(async () => {
  await never?.stop();
  await way?.stop();
  await pair?.stop();
});

const url = (plan: "free" | "growth") => `${never.origin}/net/v3/${customers[plan].key}`;

test("the partner's head is the network's for those who may use it", async () => {
  const begun = performance.now();
  const { status, header, body } = await ask(url("growth"), balance);
  expect(status).toBe(200);
  expect(header("x-served-by")).toBe("partner");
  expect(header("x-block")).toBe(String(pair.head()));
  expect(body.result).toBe(await rpc(pair.nodes[0]?.url ?? "", balance.method, balance.params));
  expect(performance.now() - begun).toBeLessThan(4000);
  const number = await ask(url("growth"), { method: "eth_blockNumber" });
  expect(number.body.result).toBe(`0x${pair.head().toString(16)}`);
});

test("the others get 503 before the deadline, and cost the partner nothing", async () => {
  const before = way.count();
  const begun = performance.now();
  const { status, header, body } = await ask(url("free"), balance);
  expect({ status, ...body.error }).toEqual({ status: 503, ...UNAVAILABLE });
  expect(Number(header("retry-after"))).toBeGreaterThanOrEqual(1);
  expect(performance.now() - begun).toBeLessThan(4000);
  // The head is not told to them either.
  expect((await ask(url("free"), { method: "eth_blockNumber" })).status).toBe(503);
  expect(way.count()).toBe(before);
});

test("in a longer outage the partner's head is followed: a question a second at most, while calls come", async () => {
  const questions = () => way.calls.get("eth_getBlockByNumber") ?? 0;
  const block = async () => (await ask(url("growth"), balance)).header("x-block");
  const before = questions();
  await pair.mine(2);
  expect(await block()).toBe(String(pair.head() - 2));
  expect(questions()).toBe(before);

  // Calls of other plans have no part in it.
  skippedMs += 6000;
  await ask(url("free"), balance);
  skippedMs += 5000;
  await expect.poll(block, { timeout: 10_000 }).toBe(String(pair.head()));
  const begun = performance.now();
  const asked = questions();
  for (let calls = 0; calls < 30; calls += 1) await block();
  const seconds = (performance.now() - begun) / 1000;
  expect(questions() - asked).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
  const last = questions();
  skippedMs += 5000;
  await ask(url("free"), balance);
  expect(questions()).toBe(last);
});

test("all that was asked of the partner is counted, but for its chain", async () => {
  await ask(url("growth"), { method: "eth_gasPrice" });
  const { day } = await never.storage.partners.read("net", Date.now());
  expect(day).toBe(way.count((method) => method !== "eth_chainId"));
  expect(way.calls.get("eth_chainId")).toBe(1);
});
