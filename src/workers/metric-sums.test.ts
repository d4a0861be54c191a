import { expect, test } from "vitest";
import type { MetricFamily } from "../admin/operations.ts";
import { Metrics } from "../telemetry/metrics.ts";
import { countedOf, metricsText, ofWorker, sumFamilies } from "./metric-sums.ts";

const familiesOf = async (metrics: Metrics): Promise<readonly MetricFamily[]> =>
  (await metrics.registry.getMetricsAsJSON()) as unknown as MetricFamily[];

/** The metrics of a worker that served so many calls in so many seconds each, and knows a head. */
async function worker(calls: number, head: number): Promise<readonly MetricFamily[]> {
  const metrics = new Metrics();
  const network = metrics.network("net");
  for (let call = 0; call < calls; call += 1) network.calls("eth_call").record("ok", 0.02);
  metrics.traffic("http").connections.inc(calls);
  network.routing.watch({ head: () => head, upstreams: [] });
  return structuredClone(await familiesOf(metrics));
}

async function linesOf(families: readonly MetricFamily[], pattern: RegExp): Promise<string[]> {
  return (await metricsText(families)).split("\n").filter((line) => pattern.test(line));
}

test("calls and connections of workers are added up, of heads the highest is shown", async () => {
  const sum = sumFamilies([...(await worker(2, 17)), ...(await worker(3, 16))]);
  expect(await linesOf(sum, /^tollgate_(calls|connections.*http|network_head)/)).toEqual([
    'tollgate_calls_total{network="net",method="eth_call",outcome="ok"} 5',
    'tollgate_network_head{network="net"} 17',
    'tollgate_connections{transport="http"} 5',
  ]);
});

test("histograms are added up bucket by bucket", async () => {
  const sum = sumFamilies([...(await worker(2, 0)), ...(await worker(3, 0))]);
  const lines = await linesOf(sum, /^tollgate_call_duration_seconds.*(0\.01"|0\.025"|Inf|count)/);
  expect(lines.map((line) => line.replace(/,?network="net",method="eth_call"/, ""))).toEqual([
    'tollgate_call_duration_seconds_bucket{le="0.01"} 0',
    'tollgate_call_duration_seconds_bucket{le="0.025"} 5',
    'tollgate_call_duration_seconds_bucket{le="+Inf"} 5',
    "tollgate_call_duration_seconds_count{} 5",
  ]);
});

test("figures of a process name the worker, and are never added up", async () => {
  const sum = sumFamilies([
    ...ofWorker("1", await worker(1, 0)),
    ...ofWorker("2", await worker(1, 0)),
    ...ofWorker("primary", await worker(0, 0)),
  ]);
  const lines = await linesOf(sum, /^process_resident_memory_bytes/);
  expect(lines.map((line) => line.split(" ")[0])).toEqual([
    'process_resident_memory_bytes{worker="1"}',
    'process_resident_memory_bytes{worker="2"}',
    'process_resident_memory_bytes{worker="primary"}',
  ]);
  expect(await linesOf(sum, /^tollgate_.*worker=/)).toEqual([]);
});

test("of a worker that has ended its counts stay, and its connections and its memory do not", async () => {
  const ended = countedOf(ofWorker("1", await worker(4, 17)));
  const sum = sumFamilies([...ended, ...ofWorker("1", await worker(1, 16))]);
  expect(await linesOf(sum, /^tollgate_(calls|connections.*http|network_head)/)).toEqual([
    'tollgate_calls_total{network="net",method="eth_call",outcome="ok"} 5',
    'tollgate_network_head{network="net"} 16',
    'tollgate_connections{transport="http"} 1',
  ]);
  expect(await linesOf(ended, /^process_cpu_seconds_total/)).toHaveLength(1);
  expect(await linesOf(ended, /^process_resident/)).toEqual([]);
});
