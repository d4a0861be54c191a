import type { UnixMs } from "../../lib/clock.ts";
import { DAY_MS } from "../../lib/day.ts";
import type { UsageResolution } from "../../storage/usage-store.ts";
import { Problem } from "../api/problem.ts";
import type { FLEET_RANGES, NODE_RANGES } from "../contract/constants.ts";
import type { Range, SpanQuery } from "../contract/usage.ts";

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

/** The step of a span between two times: the first that makes few enough points. */
const FREE_STEPS = [
  { upToMs: 3 * HOUR_MS, stepMs: MINUTE_MS },
  { upToMs: 2 * DAY_MS, stepMs: 15 * MINUTE_MS },
  { upToMs: 31 * DAY_MS, stepMs: HOUR_MS },
  { upToMs: 1100 * DAY_MS, stepMs: DAY_MS },
] as const;

/** How long usage is kept, `usage.keep` of the configuration. */
export type Kept = Readonly<Record<"minutes" | "hours" | "days", number>>;

/** Steps become hours or days where nothing finer is kept for as long as the range is. */
export function spanOf(range: Range, now: UnixMs, kept: Kept): Span {
  const { lengthMs, stepMs: fine } = RANGE_STEPS[range];
  const stepMs = keptStep(fine, lengthMs, kept);
  const to = (Math.floor(now / stepMs) + 1) * stepMs;
  const from = to - Math.max(lengthMs, stepMs);
  return { from, to, stepMs, resolution: resolutionOf(stepMs) };
}

/**
 * The range that a request names, else `fallback`, or the whole steps that its two times touch; without `to` up to now.
 * @throws Problem `bad_request` where the times are no span
 */
export function askedSpan(
  { range, from, to }: SpanQuery,
  fallback: Range,
  { now, kept }: { readonly now: UnixMs; readonly kept: Kept },
): Span {
  if (from === undefined && to === undefined) return spanOf(range ?? fallback, now, kept);
  if (range !== undefined) throw wrong("range", "give `range`, or `from` and `to`, not both");
  if (from === undefined) throw wrong("from", "give `from` too: the time at which the span begins");
  return spanBetween(Date.parse(from), to === undefined ? now : Date.parse(to), { now, kept });
}

function spanBetween(
  fromMs: UnixMs,
  toMs: UnixMs,
  { now, kept }: { readonly now: UnixMs; readonly kept: Kept },
): Span {
  if (fromMs >= Math.min(toMs, now))
    throw wrong("from", "`from` must be before `to`, and in the past");
  const lengthMs = toMs - fromMs;
  const fine = FREE_STEPS.find(({ upToMs }) => lengthMs <= upToMs)?.stepMs;
  if (fine === undefined) throw wrong("from", "a span has at most 1,100 days");
  const stepMs = keptStep(fine, now - fromMs, kept);
  const from = Math.floor(fromMs / stepMs) * stepMs;
  const to = Math.ceil(toMs / stepMs) * stepMs;
  return { from, to, stepMs, resolution: resolutionOf(stepMs) };
}

/** Steps of which something is kept that is so old. */
function keptStep(fine: number, ageMs: number, kept: Kept): number {
  const grown = fine < HOUR_MS && kept.minutes < ageMs ? HOUR_MS : fine;
  return grown === HOUR_MS && kept.hours < ageMs ? DAY_MS : grown;
}

const wrong = (name: string, message: string): Problem =>
  new Problem("bad_request", message, { field: `query.${name}` });

export type NodeRange = (typeof NODE_RANGES)[number];

export type FleetRange = (typeof FLEET_RANGES)[number];

/** Of all accounts: in steps so long that few rows are summed. Days are those of UTC, the present one included. */
const FLEET_STEPS: Readonly<Record<FleetRange, { count: number; stepMs: number }>> = Object.freeze({
  "1h": { count: 60, stepMs: MINUTE_MS },
  "24h": { count: 24, stepMs: HOUR_MS },
  "7d": { count: 7, stepMs: DAY_MS },
  "30d": { count: 30, stepMs: DAY_MS },
});

/** A range of the usage of all accounts, as it ends now. */
export function fleetSpanOf(range: FleetRange, now: UnixMs): Span {
  const { count, stepMs } = FLEET_STEPS[range];
  const to = (Math.floor(now / stepMs) + 1) * stepMs;
  return { from: to - count * stepMs, to, stepMs, resolution: resolutionOf(stepMs) };
}

/** The range of a node's history as it ends now; it is kept by the minute. */
export function nodeSpanOf(range: NodeRange, now: UnixMs): Omit<Span, "resolution"> {
  const { lengthMs, stepMs } = RANGE_STEPS[range];
  const to = (Math.floor(now / stepMs) + 1) * stepMs;
  return { from: to - lengthMs, to, stepMs };
}

function resolutionOf(stepMs: number): UsageResolution {
  if (stepMs === DAY_MS) return "day";
  return stepMs === HOUR_MS ? "hour" : "minute";
}
