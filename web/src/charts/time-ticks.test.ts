import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { timeTicks } from "./time-ticks.ts";

const HOUR = 3_600_000;
const locale = "en-GB";

function ticks(from: string, to: string, rest: { zone: string; most: number }) {
  return timeTicks({ from: Date.parse(from), to: Date.parse(to), locale, ...rest });
}

const at = (tick: { at: number }): string => new Date(tick.at).toISOString();

describe("ticks of a time axis", () => {
  test("stand at round times of UTC, and name the day where it changes", () => {
    const found = ticks("2026-11-20T18:00:00Z", "2026-11-21T06:00:00Z", { zone: "UTC", most: 5 });
    expect(found.map(at)).toEqual([
      "2026-11-20T18:00:00.000Z",
      "2026-11-20T21:00:00.000Z",
      "2026-11-21T00:00:00.000Z",
      "2026-11-21T03:00:00.000Z",
      "2026-11-21T06:00:00.000Z",
    ]);
    expect(found.map(({ label }) => label)).toEqual([
      "18:00\n20 Nov",
      "21:00",
      "00:00\n21 Nov",
      "03:00",
      "06:00",
    ]);
  });

  test("stand at round times of a zone that is a fraction of an hour off", () => {
    const rest = { zone: "Asia/Kathmandu", most: 4 };
    const found = ticks("2026-11-20T18:00:00Z", "2026-11-21T00:00:00Z", rest);
    expect(found.map(at)).toEqual([
      "2026-11-20T18:15:00.000Z",
      "2026-11-20T20:15:00.000Z",
      "2026-11-20T22:15:00.000Z",
    ]);
    expect(found[0]?.label).toBe("00:00\n21 Nov");
  });

  test("stand at both hours where the clock is set back", () => {
    const rest = { zone: "Europe/Berlin", most: 6 };
    const found = ticks("2026-10-24T23:00:00Z", "2026-10-25T04:00:00Z", rest);
    expect(found.map(({ label }) => label.split("\n")[0])).toEqual([
      "01:00",
      "02:00",
      "02:00",
      "03:00",
      "04:00",
      "05:00",
    ]);
    expect(found.map(at).slice(1, 3)).toEqual([
      "2026-10-25T00:00:00.000Z",
      "2026-10-25T01:00:00.000Z",
    ]);
  });

  test("leave out the hour that is skipped where the clock is set forward", () => {
    const rest = { zone: "Europe/Berlin", most: 6 };
    const found = ticks("2026-03-28T23:00:00Z", "2026-03-29T04:00:00Z", rest);
    expect(found.map(({ label }) => label.split("\n")[0])).toEqual([
      "00:00",
      "01:00",
      "03:00",
      "04:00",
      "05:00",
      "06:00",
    ]);
  });

  test("of days stand at the zone's midnights on both sides of a change of the clock", () => {
    const rest = { zone: "America/New_York", most: 8 };
    const found = ticks("2026-10-29T00:00:00Z", "2026-11-04T00:00:00Z", rest);
    expect(found.map(at)).toEqual([
      "2026-10-29T04:00:00.000Z",
      "2026-10-30T04:00:00.000Z",
      "2026-10-31T04:00:00.000Z",
      "2026-11-01T04:00:00.000Z",
      "2026-11-02T05:00:00.000Z",
      "2026-11-03T05:00:00.000Z",
    ]);
    expect(found.at(-1)?.label).toBe("3 Nov");
  });

  test("name each day once where the clock is set over midnight, either way", () => {
    const forward = { zone: "Africa/Cairo", most: 5 };
    const spring = ticks("2026-04-22T22:00:00Z", "2026-04-25T22:00:00Z", forward);
    expect(spring.map(({ label }) => label)).toEqual(["23 Apr", "24 Apr", "25 Apr", "26 Apr"]);
    const back = { zone: "America/Havana", most: 3 };
    const autumn = ticks("2026-10-31T04:00:00Z", "2026-11-02T05:00:00Z", back);
    expect(autumn.map(at)).toEqual([
      "2026-10-31T04:00:00.000Z",
      "2026-11-01T04:00:00.000Z",
      "2026-11-02T05:00:00.000Z",
    ]);
  });

  test("rise, lie within the limits and are few, whatever the time and zone", () => {
    const zones = fc.constantFrom("UTC", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu");
    const spans = fc.constantFrom(HOUR / 4, HOUR, 24 * HOUR, 7 * 24 * HOUR, 30 * 24 * HOUR);
    const change = Date.UTC(2026, 9, 25, 1);
    const instants = fc.oneof(
      fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2030, 0) }),
      fc.integer({ min: -24, max: 24 }).map((hours) => change + hours * HOUR),
    );
    fc.assert(
      fc.property(zones, spans, instants, (zone, span, from) => {
        const found = timeTicks({ from, to: from + span, zone, most: 6, locale });
        for (const [index, tick] of found.entries()) {
          expect(tick.at).toBeGreaterThan(found[index - 1]?.at ?? from - 1);
          expect(tick.at).toBeLessThanOrEqual(from + span);
        }
        expect(found.length).toBeGreaterThan(1);
        expect(found.length).toBeLessThanOrEqual(9);
      }),
      { numRuns: 200 },
    );
  });
});
