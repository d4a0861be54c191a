import { expect, test } from "vitest";
import { Metrics } from "./metrics.ts";

const linesOf = async (metrics: Metrics): Promise<string[]> =>
  (await metrics.registry.metrics()).split("\n").filter((line) => line.startsWith("tollgate_"));

test("the names and labels are those that dashboards are built on", async () => {
  const metrics = new Metrics();
  const network = metrics.network("net");
  network.calls("eth_call").record("ok", 0.002);
  network.calls("other").record("method_not_found", 0.0001);
  network.upstreamCalls("node").record("timeout", 8);
  network.credits.inc(80);
  metrics.refused("unauthorized");
  for (const transport of ["http", "websocket"] as const) {
    metrics.traffic(transport).received.inc(10);
    metrics.traffic(transport).sent.inc(20);
    metrics.traffic(transport).connections.inc();
  }
  const lines = await linesOf(metrics);
  expect(lines).toEqual(
    expect.arrayContaining([
      'tollgate_calls_total{network="net",method="eth_call",outcome="ok"} 1',
      'tollgate_calls_total{network="net",method="other",outcome="method_not_found"} 1',
      'tollgate_upstream_calls_total{network="net",upstream="node",outcome="timeout"} 1',
      'tollgate_credits_total{network="net"} 80',
      'tollgate_refusals_total{reason="unauthorized"} 1',
      'tollgate_received_bytes_total{transport="http"} 10',
      'tollgate_sent_bytes_total{transport="websocket"} 20',
      'tollgate_connections{transport="websocket"} 1',
      'tollgate_call_duration_seconds_count{network="net",method="eth_call"} 1',
      'tollgate_upstream_call_duration_seconds_sum{network="net",upstream="node"} 8',
    ]),
  );
});

test("every metric has its help and type, and names end in their unit", async () => {
  const metrics = new Metrics();
  const text = await metrics.registry.metrics();
  const types = [...text.matchAll(/^# TYPE (tollgate_\S+) (\S+)$/gm)];
  expect(types.length).toBeGreaterThan(7);
  for (const [, name = "", type = ""] of types) {
    expect(text).toContain(`# HELP ${name} `);
    if (type === "counter") expect(name).toMatch(/_total$/);
    if (type === "histogram") expect(name).toMatch(/_seconds$/);
  }
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
});

test("a duration is counted in every bucket that it fits in, and none below", async () => {
  const metrics = new Metrics();
  const calls = metrics.network("net").calls("eth_call");
  for (const seconds of [0.0004, 0.01, 0.011, 99]) calls.record("ok", seconds);
  const buckets = (await linesOf(metrics))
    .filter((line) => line.startsWith("tollgate_call_duration_seconds_bucket"))
    .map((line) => /le="([^"]+)".* (\d+)$/.exec(line)?.slice(1, 3));
  const counts = Object.fromEntries(buckets.map((bucket) => bucket as [string, string]));
  expect(counts).toMatchObject({
    "0.0005": "1",
    "0.005": "1",
    "0.01": "2",
    "0.025": "3",
    "10": "3",
    "+Inf": "4",
  });
});

test("the same labels are the same series, and values in labels are escaped", async () => {
  const metrics = new Metrics();
  metrics.network("net").calls("m").record("ok", 1);
  metrics.network("net").calls("m").record("ok", 1);
  metrics.refused('a"b\\c');
  const lines = await linesOf(metrics);
  expect(lines).toContain('tollgate_calls_total{network="net",method="m",outcome="ok"} 2');
  expect(lines).toContain('tollgate_refusals_total{reason="a\\"b\\\\c"} 1');
});

test("outcomes that take turns are each counted for themselves", async () => {
  const metrics = new Metrics();
  const calls = metrics.network("net").calls("m");
  for (const outcome of ["ok", "revert", "ok", "ok", "revert", "unavailable", "ok"]) {
    calls.record(outcome, 1);
  }
  const lines = await linesOf(metrics);
  for (const [outcome, count] of Object.entries({ ok: 4, revert: 2, unavailable: 1 })) {
    expect(lines).toContain(
      `tollgate_calls_total{network="net",method="m",outcome="${outcome}"} ${count}`,
    );
  }
});

test("connections go up and down", async () => {
  const metrics = new Metrics();
  const { connections } = metrics.traffic("http");
  connections.inc();
  connections.inc();
  connections.dec();
  expect(await linesOf(metrics)).toContain('tollgate_connections{transport="http"} 1');
});
