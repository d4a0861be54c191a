import fc from "fast-check";
import { expect, test } from "vitest";
import { wallText, wallTime } from "./wall-time.ts";

const MINUTE_MS = 60_000;
const ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe"];
const aMinute = fc.integer({ min: 28_000_000, max: 31_000_000 }).map((n) => n * MINUTE_MS);

test("what a field shows is read as the time that it shows", () => {
  fc.assert(
    fc.property(aMinute, fc.constantFrom(...ZONES), (at, zone) => {
      const text = wallText(at, zone);
      expect(wallText(wallTime(text, zone) as number, zone)).toBe(text);
    }),
  );
});

test("times of summer and winter are those of the zone, and what is no time is none", () => {
  expect(wallTime("2026-07-01T12:00", "Europe/Berlin")).toBe(Date.UTC(2026, 6, 1, 10));
  expect(wallTime("2026-12-01T12:00", "Europe/Berlin")).toBe(Date.UTC(2026, 11, 1, 11));
  expect(wallText(Date.UTC(2026, 11, 1, 11), "Europe/Berlin")).toBe("2026-12-01T12:00");
  expect(wallTime("", "Europe/Berlin")).toBeUndefined();
});
