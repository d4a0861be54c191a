const UNIT_MS: Readonly<Record<string, number>> = Object.freeze({
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  y: 365 * 86_400_000,
});

/** The form of a duration, for error texts. */
export const DURATION_FORM = "write it as 30s, 15m, 24h, 2d or 2y";

/**
 * The milliseconds of a duration such as `30s`, `15m`, `24h`, `2d` or `2y` (365 days): a whole
 * number, then one unit. Undefined where the text is none, or is beyond 2^53 ms.
 */
export function parseDuration(text: string): number | undefined {
  const [, count = "", unit = ""] = /^(\d+)([smhdy])$/.exec(text) ?? [];
  const durationMs = Number(count) * (UNIT_MS[unit] ?? Number.NaN);
  return Number.isSafeInteger(durationMs) ? durationMs : undefined;
}
