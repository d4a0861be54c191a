import { expect, test } from "vitest";
import { parseRetryAfter } from "./retry-after.ts";

const NOW = Date.UTC(2026, 10, 21, 15, 0, 0);

test.each([
  ["0", 0],
  ["7", 7_000],
  [" 7\t", 7_000],
  ["86400", 3_600_000],
  ["99999999999999999999", 3_600_000],
  ["Sat, 21 Nov 2026 15:00:09 GMT", 9_000],
  ["Saturday, 21-Nov-26 15:00:09 GMT", 9_000],
  ["Sat Nov 21 15:00:09 2026", 9_000],
  ["Sat, 21 Nov 2026 14:59:00 GMT", 0],
  ["Sun, 22 Nov 2026 15:00:00 GMT", 3_600_000],
  ["-1", undefined],
  ["1.5", undefined],
  ["soon", undefined],
  ["", undefined],
  ["Sat, 99 Nov 2026 15:00:09 GMT", undefined],
  [undefined, undefined],
])("%j is %s ms from now, an hour at most", (value, expected) => {
  expect(parseRetryAfter(value, NOW)).toBe(expected);
});
