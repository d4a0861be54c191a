import type { UnixMs } from "../../lib/clock.ts";
import { DAY_MS } from "../../lib/day.ts";
import type { UsageResolution } from "../../storage/usage-store.ts";
import type { Range } from "../contract/usage.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** A range as it ends now: whole steps in UTC, the present one, which goes on, as the last. */
export type Span = {
  /** Unix milliseconds, from included, to excluded. */
  readonly from: number;
  readonly to: number;
  readonly stepMs: number;
  readonly resolution: UsageResolution;
};

/** The length and step of each range. Steps of an hour are summed hours, shorter ones minutes. */
const RANGE_STEPS: Readonly<Record<Range, { lengthMs: number; stepMs: number }>> = Object.freeze({
  "15m": { lengthMs: 15 * MINUTE_MS, stepMs: MINUTE_MS },
  "1h": { lengthMs: HOUR_MS, stepMs: MINUTE_MS },
  "24h": { lengthMs: DAY_MS, stepMs: 15 * MINUTE_MS },
  "7d": { lengthMs: 7 * DAY_MS, stepMs: HOUR_MS },
  "30d": { lengthMs: 30 * DAY_MS, stepMs: HOUR_MS },
});

/** How long usage is kept, `usage.keep` of the configuration. */
export type Kept = Readonly<Record<"minutes" | "hours" | "days", number>>;

/** Steps become hours or days where nothing finer is kept for as long as the range is. */
export function spanOf(range: Range, now: UnixMs, kept: Kept): Span {
  const { lengthMs, stepMs: fine } = RANGE_STEPS[range];
  const grown = fine < HOUR_MS && kept.minutes < lengthMs ? HOUR_MS : fine;
  const stepMs = grown === HOUR_MS && kept.hours < lengthMs ? DAY_MS : grown;
  const resolution = stepMs === DAY_MS ? "day" : stepMs === HOUR_MS ? "hour" : "minute";
  const to = (Math.floor(now / stepMs) + 1) * stepMs;
  return { from: to - Math.max(lengthMs, stepMs), to, stepMs, resolution };
}
