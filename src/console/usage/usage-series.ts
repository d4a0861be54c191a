import type { UsagePoint } from "../../storage/usage-store.ts";
import { OTHER_SERIES } from "../contract/constants.ts";
import type { Series } from "../contract/usage.ts";
import { isoTime } from "../iso-time.ts";
import type { Span } from "./usage-span.ts";

/** Where each step of the span begins, Unix milliseconds. */
export function timesOf({ from, to, stepMs }: Omit<Span, "resolution">): number[] {
  return Array.from(
    { length: Math.round((to - from) / stepMs) },
    (_, place) => from + place * stepMs,
  );
}

/** As the API tells of a span: its limits, its steps, and where each begins. */
export function stepsOf(span: Omit<Span, "resolution">) {
  return { ...limitsOf(span), stepMs: span.stepMs, times: timesOf(span).map(isoTime) };
}

export function limitsOf({ from, to }: Pick<Span, "from" | "to">) {
  return { from: isoTime(from), to: isoTime(to) };
}

/** The store's points as one series for each name, with zeros between them; most called first. */
export function seriesOf(points: readonly UsagePoint[], span: Span): Series[] {
  const steps = timesOf(span).length;
  const zeros = (): number[] => new Array<number>(steps).fill(0);
  const byName = new Map<string, Series>();
  for (const point of points) {
    // The rest comes without a name, and methods that are not served are recorded by this one.
    const name = point.name ?? OTHER_SERIES;
    let series = byName.get(name);
    if (series === undefined) {
      series = { name, calls: zeros(), credits: zeros(), failed: zeros() };
      byName.set(name, series);
    }
    const place = Math.floor((point.at - span.from) / span.stepMs);
    for (const figure of ["calls", "credits", "failed"] as const) {
      series[figure][place] = (series[figure][place] ?? 0) + point[figure];
    }
  }
  const sums = new Map([...byName.values()].map((one) => [one, sum(one.calls)]));
  const sumOf = (one: Series): number => (one.name === OTHER_SERIES ? -1 : (sums.get(one) ?? 0));
  return [...byName.values()].sort((a, b) => sumOf(b) - sumOf(a) || (a.name < b.name ? -1 : 1));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
