import { type OffsetSpan, offsetSpans } from "./zone-offsets.ts";

export type TimeTick = {
  /** Unix milliseconds. */
  readonly at: number;
  /** One line, or the time and below it the day where that is another than the tick before. */
  readonly label: string;
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** 1970-01-01 was a Thursday: weeks are counted from the Monday after. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

const STEPS: readonly number[] = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 3, 7, 14, 28].map((days) => days * DAY_MS),
];

export type TickOptions = {
  /** Unix milliseconds; ticks stand within both, inclusive. */
  readonly from: number;
  readonly to: number;
  /** IANA name. */
  readonly zone: string;
  /** At most so many, as the width allows. */
  readonly most: number;
  /** Of the labels; the browser's own where it is left out. */
  readonly locale?: string;
};

/**
 * Ticks at round times of the zone's own clock. Where the clock is set back, an hour that comes
 * twice has two ticks (of steps up to an hour); where it is set forward over a tick, the tick
 * stands at the change.
 */
export function timeTicks(options: TickOptions): readonly TimeTick[] {
  const { from, to, zone, most } = options;
  const step = STEPS.find((ms) => (to - from) / ms <= most) ?? 28 * DAY_MS;
  return labelled(tickInstants(offsetSpans(from, to, zone), step), step, options);
}

function tickInstants(spans: readonly OffsetSpan[], step: number): readonly number[] {
  const origin = step >= 7 * DAY_MS ? FIRST_MONDAY_MS : 0;
  const instants: number[] = [];
  let passed = Number.NEGATIVE_INFINITY;
  for (const [index, { from, to, offset }] of spans.entries()) {
    const isLast = index === spans.length - 1;
    const begin = from + offset;
    const first = nextMultiple(begin, step, origin);
    if (nextMultiple(passed, step, origin) < begin && first > begin) instants.push(from);
    const repeats = passed > begin && step > HOUR_MS;
    for (let wall = first; ; wall += step) {
      const at = wall - offset;
      if (isLast ? at > to : at >= to) break;
      if (!(repeats && wall < passed)) instants.push(at);
    }
    passed = to + offset;
  }
  return instants;
}

/** Of nothing that came before there is none that was passed over. */
function nextMultiple(wall: number, step: number, origin: number): number {
  if (wall === Number.NEGATIVE_INFINITY) return Number.POSITIVE_INFINITY;
  return Math.ceil((wall - origin) / step) * step + origin;
}

function labelled(instants: readonly number[], step: number, options: TickOptions): TimeTick[] {
  const { zone: timeZone, locale } = options;
  const day = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone });
  const time = new Intl.DateTimeFormat(locale, {
    ...{ hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone },
  });
  let dayBefore = "";
  return instants.map((at) => {
    const today = day.format(at);
    if (step >= DAY_MS) return { at, label: today };
    const label = today === dayBefore ? time.format(at) : `${time.format(at)}\n${today}`;
    dayBefore = today;
    return { at, label };
  });
}
