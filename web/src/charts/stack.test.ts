import fc from "fast-check";
import { expect, test } from "vitest";
import { stackSeries } from "./stack.ts";

test("each value lies upon those of the series before it", () => {
  const stacked = stackSeries(
    [
      [1, 2],
      [10, 0],
      [5, 7],
    ],
    [true, true, true],
  );
  expect(stacked.map(({ tops }) => tops)).toEqual([
    [1, 2],
    [11, 2],
    [16, 9],
  ]);
});

test("a series that is switched off takes no room, and the others close up", () => {
  const stacked = stackSeries([[1], [10], [5]], [true, false, true]);
  expect(stacked.map(({ bases, tops }) => [bases[0], tops[0]])).toEqual([
    [0, 1],
    [1, 1],
    [1, 6],
  ]);
});

test("no value is lost or doubled: heights are the values, the last top is their sum", () => {
  const table = fc
    .integer({ min: 1, max: 8 })
    .chain((series) =>
      fc.array(fc.array(fc.nat(1e9), { minLength: series, maxLength: series }), { minLength: 1 }),
    );
  fc.assert(
    fc.property(table, (rows) => {
      const count = rows[0]?.length ?? 0;
      const series = Array.from({ length: count }, (_, at) => rows.map((row) => row[at] ?? 0));
      const stacked = stackSeries(series, []);
      for (const [at, row] of rows.entries()) {
        const heights = stacked.map(({ bases, tops }) => (tops[at] ?? 0) - (bases[at] ?? 0));
        expect(heights).toEqual(row);
        expect(stacked.at(-1)?.tops[at]).toBe(row.reduce((all, value) => all + value, 0));
      }
    }),
  );
});
