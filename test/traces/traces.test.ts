import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import {
  type StandInCollector,
  startStandInCollector,
  type TakenSpan,
} from "../support/stand-in-collector.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { UPSTREAM_SECRET } from "../support/upstream-secret.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const CALLER = "b7ad6b7169203331";
const SLOW_MS = 100;
/** No call takes so long, however busy the machine is. */
const NEVER_MS = 600_000;
const COLLECTOR_SECRET = "the-secret-of-the-collector";
/** So few that a call is chosen for it once in a million. */
const RATIO = 0.000_001;
const ADDRESS = `0x${"ab".repeat(20)}`;

let node: StandInNode;
let second: StandInNode;
let partner: StandInNode;
let collector: StandInCollector;
let gateway: TestGateway;
let isStopped: boolean;

beforeAll(async () => {
  [node, second, partner] = await Promise.all([
    startStandInNode(),
    startStandInNode(),
    startStandInNode(),
  ]);
});
afterAll(() => Promise.all([node, second, partner].map((one) => one.stop())));

beforeEach(async () => {
  for (const one of [node, second, partner]) {
    one.reply = () => ({ result: "0x1" });
    one.sickness = undefined;
  }
  collector = await startStandInCollector();
});
afterEach(async () => {
  await stop();
  await collector.stop();
});
const stop = async () => {
  if (!isStopped) await gateway.stop();
  isStopped = true;
};

const start = async (traces: object, upstreams: readonly object[] = [upstreamOf(node)]) => {
  const headers = { authorization: `Bearer ${COLLECTOR_SECRET}` };
  isStopped = false;
  gateway = await startTestGateway({
    traces: { url: collector.url, ratio: RATIO, slowMs: NEVER_MS, headers, ...traces },
    networks: [{ name: "net", family: "evm", chainId: 1, upstreams }],
  });
};
const upstreamOf = ({ url }: StandInNode, more: object = {}) => ({
  ...{ name: "geth-a", url: `${url}/${UPSTREAM_SECRET}` },
  ...more,
});

const call = (method: string, params: readonly unknown[] = []) => ({
  ...{ jsonrpc: "2.0", id: 1, method, params },
});
const balance = call("eth_getBalance", [ADDRESS, "latest"]);
type Sent = { readonly traceparent?: string; readonly key?: string };
async function send(body: object, { traceparent, key = gateway.key }: Sent = {}): Promise<string> {
  const response = await fetch(`${gateway.origin}/net/v3/${key}`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", ...(traceparent && { traceparent }) },
  });
  return response.text();
}
const asCaller = (flags: string): string => `00-${TRACE}-${CALLER}-${flags}`;
const calls = (spans: readonly TakenSpan[]): TakenSpan[] => spans.filter(({ kind }) => kind === 2);
const attempts = (spans: readonly TakenSpan[]): TakenSpan[] =>
  spans.filter(({ name }) => name === "attempt");
const lasts = ({ startTimeUnixNano, endTimeUnixNano }: TakenSpan): number =>
  Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1e6;

describe("a call whose caller traces it", () => {
  test("is one tree: the call, its stages in order, the attempt that the node joins", async () => {
    await start({});
    const before = Date.now();
    await send(balance, { traceparent: asCaller("01") });
    await collector.taken((spans) => spans.length > 0);

    const [root, ...others] = collector.spans;
    expect(root).toMatchObject({
      ...{ traceId: TRACE, parentSpanId: CALLER, name: "eth_getBalance", kind: 2 },
      status: { code: 0 },
      attributes: {
        "rpc.system": "jsonrpc",
        "rpc.method": "eth_getBalance",
        "tollgate.network": "net",
        "tollgate.key_id": gateway.keyId,
        "tollgate.outcome": "ok",
        "tollgate.credits": 80,
        "tollgate.upstream": "geth-a",
        "tollgate.traced_for": "caller",
      },
    });
    const stages = others.filter(({ kind }) => kind === 1);
    const names = ["look up", "check", "admit", "resolve", "recall", "fetch", "normalise"];
    expect(stages.map(({ name }) => name)).toEqual(names);
    for (const stage of stages) expect(stage.parentSpanId).toBe(root?.spanId);
    const fetched = stages[5];
    const [attempt, ...none] = attempts(others);
    expect(none).toEqual([]);
    expect(attempt).toMatchObject({
      ...{ parentSpanId: fetched?.spanId, kind: 3 },
      attributes: { "tollgate.upstream": "geth-a", "tollgate.outcome": "ok" },
    });
    const told = node.requests.at(-1)?.headers["traceparent"];
    expect(told).toBe(`00-${TRACE}-${attempt?.spanId}-01`);

    const times = [root, ...others].map((one) => Number(one?.startTimeUnixNano) / 1e6);
    for (const time of times) expect(time).toBeGreaterThan(before - 1000);
    for (const stage of [...stages, attempt]) {
      expect(lasts(stage as TakenSpan)).toBeLessThanOrEqual(lasts(root as TakenSpan));
    }
    expect(new Set([root, ...others].map((one) => one?.spanId)).size).toBe(9);
  });

  test("is one root of its own in a batch for each call", async () => {
    await start({});
    await send([balance, call("eth_chainId")], { traceparent: asCaller("01") });
    await collector.taken((spans) => calls(spans).length === 2);
    for (const one of calls(collector.spans)) {
      expect(one).toMatchObject({ traceId: TRACE, parentSpanId: CALLER });
    }
  });

  test("is not traced where the caller does not, unless it fails", async () => {
    await start({});
    await send(balance, { traceparent: asCaller("00") });
    node.sickness = "reset";
    await send(balance, { traceparent: asCaller("00") });
    await collector.taken((spans) => calls(spans).length > 0);
    expect(calls(collector.spans)).toHaveLength(1);
    expect(calls(collector.spans)[0]).toMatchObject({
      ...{ traceId: TRACE, parentSpanId: CALLER, status: { code: 2 } },
      attributes: { "tollgate.outcome": "unavailable", "tollgate.traced_for": "failed" },
    });
  });

  test("is traced by a hundred at once, and by ten times the ratio from then on", async () => {
    await start({});
    const batch = Array.from({ length: 150 }, () => call("eth_chainId"));
    await send(batch, { traceparent: asCaller("01") });
    await stop();
    expect(calls(collector.spans)).toHaveLength(100);
  });

  test("is no call of a partner, who is not told", async () => {
    await start({}, [upstreamOf(node), upstreamOf(partner, { name: "paid", role: "partner" })]);
    const key = await gateway.keyOf("who-pays@example.com", "growth");
    await send(balance);
    node.sickness = { body: "down", status: 503 };
    await send(balance, { traceparent: asCaller("01"), key });
    await collector.taken((spans) => spans.length > 0);
    expect(partner.requests).not.toHaveLength(0);
    for (const { headers } of partner.requests) expect(headers["traceparent"]).toBeUndefined();
    expect(attempts(collector.spans).at(-1)?.attributes["tollgate.upstream"]).toBe("paid");
  });
});

describe("a call that nobody chose before", () => {
  test("is traced where it was slow, with what took the time", async () => {
    await start({ slowMs: SLOW_MS }, [upstreamOf(node), upstreamOf(second, { name: "geth-b" })]);
    const late = async () => {
      await new Promise((resolve) => setTimeout(resolve, SLOW_MS * 1.5));
      return { result: "0x1" };
    };
    [node.reply, second.reply] = [late, late];
    await send(balance);
    await collector.taken((spans) => spans.length > 0);
    const [root] = calls(collector.spans);
    expect(root?.attributes).toMatchObject({ "tollgate.traced_for": "slow" });
    expect(root?.parentSpanId).toBeUndefined();
    expect(lasts(root as TakenSpan)).toBeGreaterThanOrEqual(SLOW_MS);
    const fetched = collector.spans.find(({ name }) => name === "fetch");
    expect(fetched?.parentSpanId).toBe(root?.spanId);
    const [first] = attempts(collector.spans);
    expect(first?.parentSpanId).toBe(fetched?.spanId);
    expect(lasts(first as TakenSpan)).toBeGreaterThanOrEqual(SLOW_MS);
  });

  test("is traced where the service failed it, with each attempt and why it failed", async () => {
    node.sickness = "reset";
    second.sickness = { body: "<html>", status: 502 };
    await start({}, [upstreamOf(node), upstreamOf(second, { name: "geth-b" })]);
    await send(balance);
    await collector.taken((spans) => spans.length > 0);
    const [root] = calls(collector.spans);
    expect(root).toMatchObject({
      status: { code: 2 },
      attributes: { "tollgate.outcome": "unavailable", "tollgate.credits": 0 },
    });
  });

  test("is not traced where only its client was at fault, or the chain said no", async () => {
    node.reply = () => ({ error: { code: 3, message: "execution reverted", data: "0x" } });
    await start({});
    await send(call("eth_call", [{ to: ADDRESS }, "latest"]));
    await send(call("eth_getBalance", ["nonsense", "latest"]));
    await send(call("eth_nonsense"));
    await stop();
    expect(collector.spans).toEqual([]);
  });
});

test("a share of all calls is traced", async () => {
  await start({ ratio: 1 });
  await send(call("eth_chainId"));
  await collector.taken((spans) => spans.length > 0);
  expect(calls(collector.spans)[0]?.attributes["tollgate.traced_for"]).toBe("ratio");
  const stages = collector.spans.filter(({ kind }) => kind === 1).map(({ name }) => name);
  expect(stages).toEqual(["look up", "check", "admit", "resolve", "recall"]);
});

describe("the collector", () => {
  test("gets its headers, and nothing of keys, nodes' addresses or params", async () => {
    await start({ ratio: 1 });
    await send(balance);
    await send(call(`eth_${gateway.key}`));
    await collector.taken((spans) => calls(spans).length === 2);
    const [first] = collector.requests;
    expect(first?.path).toBe("/v1/traces");
    expect(first?.headers).toMatchObject({
      authorization: `Bearer ${COLLECTOR_SECRET}`,
      "content-type": "application/json",
    });
    const text = collector.requests.map((one) => one.text).join();
    for (const secret of [gateway.key, UPSTREAM_SECRET, ADDRESS, COLLECTOR_SECRET, node.url]) {
      expect(text).not.toContain(secret);
    }
  });

  test("that is away holds up no call, and is sent the spans once it is back", async () => {
    await start({ ratio: 1 });
    collector.status = 503;
    await send(call("eth_chainId"));
    while (collector.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    collector.status = 200;
    await collector.taken((spans) => calls(spans).length > 0);
    expect(calls(collector.spans)).toHaveLength(1);
    const metrics = await (await gateway.admin("/metrics")).text();
    expect(metrics).toMatch(/^tollgate_spans_total\{outcome="dropped"\} 0$/m);
    const { log } = gateway;
    expect(log()).toMatch(/"reason":"HTTP 503".*"msg":"traces cannot be sent"/);
    expect(log()).not.toContain(COLLECTOR_SECRET);
    expect(log()).not.toContain(collector.url);
  });

  test("gets what waits when the gateway ends", async () => {
    await start({ ratio: 1 });
    await send(call("eth_chainId"));
    await stop();
    expect(calls(collector.spans)).toHaveLength(1);
  });
});
