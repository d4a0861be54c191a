import type { UnixMs } from "../lib/clock.ts";

/** A longer time is cut to this. */
const MAX_MS = 3_600_000;

/**
 * The Retry-After header (RFC 9110, section 10.2.3), seconds or a date, as milliseconds from `now`,
 * an hour at most; undefined where it is neither.
 */
export function parseRetryAfter(value: string | undefined, now: UnixMs): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, MAX_MS);
  // The three forms of a date, which begin with the day's name and end with the zone or the year.
  if (!/^[A-Z][a-z]{2,8},? .*\d\d:\d\d:\d\d (?:GMT|\d{4})$/.test(text)) return undefined;
  const time = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : Math.min(Math.max(time - now, 0), MAX_MS);
}
