import { expect, test } from "vitest";
import { type ChartData, COUNTS } from "./chart-data.ts";
import { columnsOf, viewOf } from "./plot-view.ts";

const HOUR = 3_600_000;

/** Each hour of the night in which Berlin's clock is set back, each with its own number. */
function night(): ChartData {
  const from = Date.parse("2026-10-24T20:00:00Z");
  const times = Array.from({ length: 10 }, (_, index) => from + index * HOUR);
  const series = [
    { name: "eth_call", values: times.map((_, index) => index + 1) },
    { name: "eth_getLogs", values: times.map(() => 100) },
  ];
  return { from, to: from + 10 * HOUR, stepMs: HOUR, times, series, figures: COUNTS };
}

test("no hour is lost or doubled where the clock is set back over midnight UTC", () => {
  const [middles, calls] = columnsOf(viewOf(night(), "lines", [true, true]));
  expect(middles).toHaveLength(10);
  expect(new Set(middles).size).toBe(10);
  const gaps = middles.slice(1).map((at, index) => at - (middles[index] ?? 0));
  expect(new Set(gaps)).toEqual(new Set([HOUR]));
  expect(calls).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test("bars are stacked, and the plane is as high as what is shown", () => {
  const both = viewOf(night(), "bars", [true, true]);
  expect(columnsOf(both)[2]).toEqual([101, 102, 103, 104, 105, 106, 107, 108, 109, 110]);
  expect(both.largest).toBe(110);
  expect(viewOf(night(), "bars", [true, false]).largest).toBe(10);
  expect(viewOf(night(), "lines", [true, true]).largest).toBe(100);
});

test("a plane without numbers still has a height and a width", () => {
  const empty = viewOf({ ...night(), times: [], series: [] }, "bars", []);
  expect(empty.largest).toBe(1);
  expect(empty.limits[1] - empty.limits[0]).toBe(10 * HOUR);
});
