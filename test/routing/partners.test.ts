import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChainPair, startChainPair } from "../support/chain-pair.ts";
import { type FaultProxy, startFaultProxy } from "../support/fault-proxy.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { connect } from "../websocket/client.ts";
import { ask, askBatch, type Call, type Customer, customerOf, type RpcAnswer } from "./client.ts";

const UNAVAILABLE = { code: -32603, message: "no upstream could answer" };

let pair: ChainPair;
/** The way to the partner, which counts what is asked of it. */
let partner: FaultProxy;
let capped: Readonly<Record<"day" | "month", FaultProxy>>;
let gateway: TestGateway;
let free: Customer;
let growth: Customer;
let balance: Call;

const primary = () => {
  const [node] = pair.nodes;
  if (node === undefined) throw new Error("no node");
  return node;
};
const address = ({ key }: Customer, network = "net") => `${gateway.origin}/${network}/v3/${key}`;
/** Calls of clients, and questions for its head. */
const paid = (proxy: FaultProxy) => proxy.count((method) => method !== "eth_chainId");
const metric = async (series: string): Promise<number> => {
  const text = await (await gateway.admin("/metrics")).text();
  const line = text.split("\n").find((each) => each.startsWith(`${series} `));
  return Number(line?.split(" ")[1] ?? 0);
};

beforeAll(async () => {
  pair = await startChainPair();
  const [first, second] = pair.nodes;
  if (first === undefined || second === undefined) throw new Error("no nodes");
  const startProxy = () => startFaultProxy(second);
  partner = await startProxy();
  capped = { day: await startProxy(), month: await startProxy() };
  const network = (name: string, url: string, more: object = {}) => ({
    ...{ name, family: "evm", chainId: 31_337, ...more },
    upstreams: [
      { name: "own", url: first.url },
      { name: "paid", url, role: "partner" },
    ],
  });
  gateway = await startTestGateway({
    plans: { free: { creditsPerSecond: 4000 } },
    networks: [
      network("net", partner.url),
      network("day", capped.day.url, { partnerCaps: { day: 25 } }),
      network("month", capped.month.url, { partnerCaps: { day: 1000, month: 7 } }),
    ],
  });
  free = await customerOf(gateway.storage, "free");
  growth = await customerOf(gateway.storage, "growth");
  const { sender } = pair.samples.accounts;
  balance = { method: "eth_getBalance", params: [sender, "latest"] };
});
afterAll(async () => {
  await gateway?.stop();
  for (const proxy of [partner, capped?.day, capped?.month]) await proxy?.stop();
  await pair?.stop();
});

/** As the node itself says it. */
let balanceNow: unknown;

/** Of an account that nobody has used. */
const balanceOf = (account: number) => ({
  method: "eth_getBalance",
  params: [`0x${(0xabc000 + account).toString(16).padStart(40, "0")}`, "latest"],
});

describe("while the primary answers", () => {
  test("the partner is asked nothing, not even for its chain", async () => {
    for (const network of ["net", "day", "month"]) {
      for (const customer of [free, growth]) {
        const { status, header, body } = await ask(address(customer, network), balance);
        expect(status).toBe(200);
        expect(header("x-served-by")).toBeNull();
        balanceNow = body.result;
      }
    }
    for (const proxy of [partner, capped.day, capped.month]) expect(proxy.count()).toBe(0);
  });
});

describe("once every primary is killed", () => {
  beforeAll(() => primary().kill());

  test("a plan without failover gets 503 and Retry-After, free of charge", async () => {
    const single = await ask(address(free), balance);
    expect(single.status).toBe(503);
    expect(Number(single.header("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(single.header("x-credits-charged")).toBe("0");
    expect(single.header("x-served-by")).toBeNull();
    expect(single.body).toEqual({ jsonrpc: "2.0", id: 1, error: UNAVAILABLE });

    const batch = await askBatch(address(free), [balance, balance]);
    expect(batch.status).toBe(503);
    expect(batch.body).toEqual({ jsonrpc: "2.0", id: null, error: UNAVAILABLE });

    const [answer] = await overWebSocket(free, [balance]);
    expect(answer?.error).toEqual(UNAVAILABLE);
    expect(partner.count()).toBe(0);
    await expect.poll(free.used, { timeout: 5000 }).toBe(3 * 80);
  });

  test("a plan with failover is answered by the partner, over HTTP and WebSocket, as if nothing were", async () => {
    await expect.poll(growth.used, { timeout: 5000 }).toBe(3 * 80);
    const single = await ask(address(growth), balance);
    expect(single.status).toBe(200);
    expect(single.body.result).toBe(balanceNow);
    expect(single.header("x-served-by")).toBe("partner");
    expect(single.header("x-block")).toBe(String(pair.head()));
    expect(single.header("x-credits-charged")).toBe("80");

    const { hash } = pair.samples.transactions.legacy;
    const calls = [
      { method: "eth_getTransactionReceipt", params: [hash] },
      { method: "eth_getBlockByNumber", params: ["latest", false] },
      { method: "eth_estimateGas", params: [pair.samples.calls.transfer] },
      { method: "eth_call", params: [pair.samples.reverts.reason, "latest"] },
    ];
    const batch = await askBatch(address(growth), calls);
    expect(batch.status).toBe(200);
    expect(batch.header("x-served-by")).toBe("partner");
    expect(batch.header("x-credits-charged")).toBe(String(80 + 80 + 300 + 80));
    expect(batch.body.map(({ result }) => result)).toMatchObject([
      { transactionHash: hash },
      { number: `0x${pair.head().toString(16)}` },
      expect.stringMatching(/^0x/),
      undefined,
    ]);
    expect(batch.body[3]?.error).toMatchObject({ code: 3 });

    const answers = await overWebSocket(growth, [balance, balance]);
    expect(answers.map(({ result }) => result)).toEqual([balanceNow, balanceNow]);

    // Of a short outage the partner is asked for nothing beside, but once for its chain.
    expect(Object.fromEntries(partner.calls)).toEqual({
      eth_chainId: 1,
      // The two that came at once shared one.
      eth_getBalance: 2,
      eth_getTransactionReceipt: 1,
      eth_getBlockByNumber: 1,
      eth_estimateGas: 1,
      eth_call: 1,
    });
    expect(await metric('tollgate_partner_calls_total{network="net",outcome="asked"}')).toBe(6);
  });

  test("what the gateway knows by itself is not the partner's answer", async () => {
    const { header, body } = await ask(address(growth), { method: "eth_blockNumber" });
    expect(body.result).toBe(`0x${pair.head().toString(16)}`);
    expect(header("x-served-by")).toBeNull();
    expect(partner.calls.has("eth_blockNumber")).toBe(false);
  });

  test("the partner's calls are charged as usual, and have an outcome of their own in the usage", async () => {
    const spent = 3 * 80 + 3 * 80 + (80 + 80 + 300 + 80) + 80;
    await expect.poll(growth.used, { timeout: 5000 }).toBe(spent);
    const outcomes = async () => {
      const now = Date.now();
      const rows = await gateway.storage.usage.query({
        accountId: growth.accountId,
        resolution: "minute",
        from: now - 600_000,
        to: now + 60_000,
      });
      const counts: Record<string, number> = {};
      for (const { network, method, outcome, calls } of rows) {
        const name = `${network} ${method} ${outcome}`;
        counts[name] = (counts[name] ?? 0) + calls;
      }
      return counts;
    };
    await expect.poll(outcomes, { timeout: 5000 }).toMatchObject({
      "net eth_getBalance ok": 1,
      "net eth_getBalance partner": 3,
      "net eth_getTransactionReceipt partner": 1,
      "net eth_getBlockByNumber partner": 1,
      "net eth_estimateGas partner": 1,
      "net eth_blockNumber ok": 1,
    });
  });

  test.each([
    { name: "day", cap: 25 },
    { name: "month", cap: 7 },
  ] as const)(
    "a cap of the $name lets exactly $cap calls through, of three times as many at once",
    async ({ name, cap }) => {
      const proxy = capped[name];
      const url = address(growth, name);
      // Calls that are alike would share one.
      const balances = Array.from({ length: 3 * cap }, (_, at) => balanceOf(at));
      const answers = await Promise.all(balances.map((each) => ask(url, each)));
      const served = answers.filter(({ status }) => status === 200);
      expect(served).toHaveLength(cap);
      for (const { header, body } of served) {
        expect(header("x-served-by")).toBe("partner");
        expect(body.result).toBe("0x0");
      }
      for (const { status, header, body } of answers) {
        if (status === 200) continue;
        expect({ status, ...body.error }).toEqual({ status: 503, ...UNAVAILABLE });
        expect(header("x-credits-charged")).toBe("0");
      }
      expect(paid(proxy)).toBe(cap);
      expect(proxy.calls.get("eth_chainId")).toBe(1);
      const series = `tollgate_partner_calls_total{network="${name}",outcome=`;
      expect(await metric(`${series}"asked"}`)).toBe(cap);
      expect(await metric(`${series}"capped"}`)).toBe(2 * cap);
      const counted = await gateway.storage.partners.read(name, Date.now());
      expect(counted[name]).toBe(cap);

      expect((await ask(url, balance)).status).toBe(503);
      const [overSocket] = await overWebSocket(growth, [balance], name);
      expect(overSocket?.error).toEqual(UNAVAILABLE);
      expect(paid(proxy)).toBe(cap);
    },
  );

  test("once the primary is back, the partner is left alone", async () => {
    await primary().restart();
    await pair.seed(primary());
    const servedBy = async () => {
      const { status, header } = await ask(address(growth), balance);
      return status === 200 ? header("x-served-by") : status;
    };
    await expect.poll(servedBy, { timeout: 10_000 }).toBeNull();
    const before = partner.count();
    for (let calls = 0; calls < 30; calls += 1) expect(await servedBy()).toBeNull();
    await pair.mine(1);
    await expect
      .poll(async () => (await ask(address(growth), balance)).header("x-block"), {
        timeout: 10_000,
      })
      .toBe(String(pair.head()));
    expect(partner.count()).toBe(before);
    expect((await ask(address(free), balance)).status).toBe(200);
  });
});

async function overWebSocket(
  { key }: Customer,
  calls: readonly Call[],
  network = "net",
): Promise<readonly RpcAnswer[]> {
  const client = await connect(`ws://127.0.0.1:${gateway.port}/${network}/ws/v3/${key}`);
  for (const [id, call] of calls.entries()) {
    client.send(JSON.stringify({ jsonrpc: "2.0", id, params: [], ...call }));
  }
  const messages = await client.received(calls.length);
  client.socket.terminate();
  const answers = messages.map((text) => JSON.parse(text) as RpcAnswer & { id: number });
  return answers.toSorted((a, b) => a.id - b.id);
}
