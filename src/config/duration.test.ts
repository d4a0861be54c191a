import fc from "fast-check";
import { expect, test } from "vitest";
import { parseDuration } from "./duration.ts";

test.each([
  ["30s", 30_000],
  ["15m", 900_000],
  ["24h", 86_400_000],
  ["2d", 172_800_000],
  ["2y", 63_072_000_000],
  ["0s", 0],
])("%s is %d ms", (text, durationMs) => {
  expect(parseDuration(text)).toBe(durationMs);
});

test.each(["", "5", "s", "-1s", "1.5h", "1 d", "1h30m", "1D", "1s\n", "99999999999999999d", "1ms"])(
  "%j is no duration",
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
  },
);

test("any text is a whole number of milliseconds or nothing", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const durationMs = parseDuration(text);
      expect(durationMs === undefined || Number.isSafeInteger(durationMs)).toBe(true);
    }),
  );
});
