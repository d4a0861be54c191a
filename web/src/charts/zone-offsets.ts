/** So much of wall-clock time minus UTC, in milliseconds, holds from one instant up to another. */
export type OffsetSpan = {
  readonly from: number;
  readonly to: number;
  readonly offset: number;
};

const DAY_MS = 86_400_000;
const SECOND_MS = 1000;

/**
 * The spans of one offset each that make up `from` to `to` (Unix milliseconds) in an IANA zone, in
 * order and without holes; a change of daylight-saving time is where two of them meet.
 */
export function offsetSpans(from: number, to: number, zone: string): readonly OffsetSpan[] {
  const spans: OffsetSpan[] = [];
  let start = from;
  let offset = offsetAt(from, zone);
  for (let known = from; known < to; ) {
    const next = Math.min(known + DAY_MS, to);
    const after = offsetAt(next, zone);
    if (after !== offset) {
      const change = changeWithin(known, next, { offset, zone });
      spans.push({ from: start, to: change, offset });
      start = change;
      offset = after;
    }
    known = next;
  }
  if (start < to || spans.length === 0) spans.push({ from: start, to, offset });
  return spans;
}

/** Wall-clock time minus UTC at an instant, in milliseconds. */
export function offsetAt(at: number, zone: string): number {
  const second = Math.floor(at / SECOND_MS) * SECOND_MS;
  const read: Record<string, number> = {};
  for (const { type, value } of formatterOf(zone).formatToParts(second)) read[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second: s = 0 } = read;
  return Date.UTC(year, month - 1, day, hour, minute, s) - second;
}

/** The first instant after `from` where the offset is another one, to the second. */
function changeWithin(from: number, to: number, was: { offset: number; zone: string }): number {
  let same = Math.floor(from / SECOND_MS);
  let other = Math.ceil(to / SECOND_MS);
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (offsetAt(middle * SECOND_MS, was.zone) === was.offset) same = middle;
    else other = middle;
  }
  return Math.min(other * SECOND_MS, to);
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Making one costs a hundred times what using it does. */
function formatterOf(zone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(zone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat("en-US", {
      ...{ year: "numeric", month: "numeric", day: "numeric" },
      ...{ hour: "numeric", minute: "numeric", second: "numeric" },
      ...{ calendar: "gregory", hourCycle: "h23", numberingSystem: "latn", timeZone: zone },
    });
    formatters.set(zone, formatter);
  }
  return formatter;
}
