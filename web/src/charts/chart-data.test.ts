import { expect, test } from "vitest";
import { type ChartData, COUNTS, describe, TIMES, timeLimits, totals } from "./chart-data.ts";

const data: ChartData = {
  figures: COUNTS,
  from: 1000,
  to: 3500,
  stepMs: 1000,
  times: [1000, 2000, 3000],
  series: [
    { name: "eth_call", values: [1, 2, 3] },
    { name: "other", values: [0, 10, 0] },
    { name: "eth_chainId", values: [0, 0, 0] },
  ],
};

test("the plane shows the first and the last span whole", () => {
  expect(timeLimits(data)).toEqual([1000, 4000]);
  expect(timeLimits({ ...data, times: [], series: [] })).toEqual([1000, 3500]);
});

test("totals are the sums of all series at each time", () => {
  expect(totals(data)).toEqual([1, 12, 3]);
});

test("the description names each series with calls, largest first", () => {
  const text = describe(data, "calls");
  expect(text).toBe("16 calls in all: other 10, eth_call 6. The table shows each value.");
  expect(describe({ ...data, series: [] }, "calls")).toBe("No calls in this period.");
});

test("the description of percentiles says those of the whole time, and adds nothing up", () => {
  const series = [
    { name: "p50", values: [9, null, 8], whole: 8.4 },
    { name: "p95", values: [60, null, 2000], whole: 1500 },
  ];
  expect(describe({ ...data, figures: TIMES, series }, "latency")).toBe(
    "Latency in all: p50 8.4 ms, p95 1.5 s. The table shows each value.",
  );
  const none = series.map(({ name }) => ({ name, values: [null, null, null], whole: null }));
  expect(describe({ ...data, figures: TIMES, series: none }, "latency")).toBe(
    "No latency in this period.",
  );
});
