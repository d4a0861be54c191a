import { offsetAt } from "../../charts/zone-offsets.ts";

/** What a clock of the zone shows, to the minute, as fields for date and time take it: `2026-11-21T10:00`. */
export function wallText(at: number, zone: string): string {
  return new Date(at + offsetAt(at, zone)).toISOString().slice(0, 16);
}

/**
 * The moment at which a clock of the zone shows that; undefined where the text is no time. Of the hour that comes
 * twice when clocks go back it is one of both; the hour that is left out is the one after it.
 */
export function wallTime(text: string, zone: string): number | undefined {
  const shown = Date.parse(`${text}Z`);
  if (Number.isNaN(shown)) return undefined;
  const near = shown - offsetAt(shown, zone);
  return shown - offsetAt(near, zone);
}
