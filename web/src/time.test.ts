import { describe, expect, test } from "vitest";
import { formatAgo, formatSpan, formatTime, isUtc, isZone, zoneName } from "./time.ts";

describe("times in a zone", () => {
  test("an instant reads differently in each zone, and midnight is 00:00", () => {
    const at = "2026-11-21T23:00:00.000Z";
    expect(formatTime(at, "UTC")).toBe("21 Nov 2026, 23:00:00");
    expect(formatTime(at, "Europe/Berlin")).toBe("22 Nov 2026, 00:00:00");
  });

  test("the two hours of the night when clocks go back have different names", () => {
    expect(zoneName("Europe/Berlin", "2026-10-25T00:30:00Z")).toBe("CEST");
    expect(zoneName("Europe/Berlin", "2026-10-25T01:30:00Z")).toBe("CET");
    expect(zoneName("America/New_York", "2026-07-01T00:00:00Z")).toBe("EDT");
  });

  test("a zone without a name of its own is named by its hours", () => {
    expect(zoneName("America/Sao_Paulo", "2026-07-01T00:00:00Z")).toBe("GMT-3");
  });

  test("a zone that the browser does not know is none", () => {
    expect(isZone("Mars/Olympus")).toBe(false);
    expect(isZone("Asia/Kolkata")).toBe(true);
    expect(isUtc("Etc/UTC")).toBe(true);
    expect(isUtc("Europe/London")).toBe(false);
  });
});

describe("lengths of time", () => {
  const now = Date.parse("2026-11-21T12:00:00Z");

  test("how long ago counts whole units, never ahead of the truth", () => {
    expect(formatAgo(now - 4000, now)).toBe("just now");
    expect(formatAgo(now - 119_000, now)).toBe("1 minute ago");
    expect(formatAgo(now - 3 * 86_400_000, now)).toBe("3 days ago");
    expect(formatAgo(now + 30_000, now)).toBe("in less than a minute");
  });

  test("a span shows its two largest units", () => {
    expect(formatSpan(9)).toBe("9 s");
    expect(formatSpan(245)).toBe("4 min 5 s");
    expect(formatSpan(11_520)).toBe("3 h 12 min");
    expect(formatSpan(-5)).toBe("0 s");
  });
});
