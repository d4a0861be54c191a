import type { UnixMs } from "./clock.ts";

export const DAY_MS = 86_400_000;

/** The UTC day of a moment (Unix milliseconds), as days since 1970-01-01. */
export function dayOf(nowMs: UnixMs): number {
  return Math.floor(nowMs / DAY_MS);
}

/** The first millisecond after the day. */
export function endOf(day: number): number {
  return (day + 1) * DAY_MS;
}

/** `2026-11-21`. */
export function isoDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
