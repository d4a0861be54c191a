import { RANGES, SERIES_BY } from "../../../../src/console/contract/constants.ts";
import type { Range, SeriesBy } from "../../../../src/console/contract/usage.ts";
import { navigate, useSearchParam } from "../../router.tsx";
import { formatTime, useZone } from "../../time.ts";
import { CUSTOM, choose, MEASURES, type Measure, RANGE_WORDS } from "./usage-choices.ts";

const DAY_MS = 86_400_000;

/** What the API is asked for: a range up to now, or a span between two times, ISO 8601. */
export type AskedSpan = { readonly range: Range } | { readonly from: string; readonly to: string };

/** What the page shows, as its address says it: it can be linked to and survives a reload. */
export type UsageQuery = {
  readonly span: AskedSpan;
  /** The span in a sentence, after "in". */
  readonly words: string;
  readonly by: SeriesBy;
  readonly measure: Measure;
  readonly kind: "bars" | "lines";
  /** The zone that the chart is written in: the person's own, or UTC. */
  readonly zone: string;
  readonly isUtc: boolean;
  readonly filters: Filters;
  readonly isFiltered: boolean;
  readonly setRange: (range: string) => void;
  /** Unix milliseconds. */
  readonly setSpan: (span: { readonly from: number; readonly to: number }) => void;
  readonly setBy: (by: string) => void;
  readonly setMeasure: (measure: string) => void;
  readonly setKind: (kind: string) => void;
  readonly setTimes: (times: string) => void;
  readonly setFilter: (name: FilterName, value: string) => void;
  /** Takes all filters away. */
  readonly clear: () => void;
};

const FILTERS = ["key", "network", "method", "outcome"] as const;
export type FilterName = (typeof FILTERS)[number];
/** A key's id, and names; empty: all. */
export type Filters = Readonly<Record<FilterName, string>>;

export function useUsageQuery(): UsageQuery {
  const [by, setBy] = useSearchParam("by", "method");
  const [measure, setMeasure] = useSearchParam("measure", "calls");
  const [kind, setKind] = useSearchParam("kind", "bars");
  const [times, setTimes] = useSearchParam("times", "local");
  const ownZone = useZone();
  const isUtc = times === "utc";
  const zone = isUtc ? "UTC" : ownZone;
  return {
    ...useSpan(zone),
    ...useFilters(),
    by: choose(SERIES_BY, by),
    measure: choose(["calls", ...MEASURES.map(({ value }) => value)], measure),
    kind: choose(["bars", "lines"], kind),
    ...{ zone, isUtc, setBy, setMeasure, setKind, setTimes },
  };
}

function useSpan(zone: string): Pick<UsageQuery, "span" | "words" | "setRange" | "setSpan"> {
  const [range, setRange] = useSearchParam("range", "1h");
  const [from, setFrom] = useSearchParam("from");
  const [to, setTo] = useSearchParam("to");
  const setSpan: UsageQuery["setSpan"] = (span) => {
    setRange(CUSTOM);
    setFrom(new Date(span.from).toISOString());
    setTo(new Date(span.to).toISOString());
  };
  const choice = (next: string) => {
    if (next === CUSTOM) return setSpan({ from: Date.now() - DAY_MS, to: Date.now() });
    setFrom("");
    setTo("");
    setRange(next);
  };
  if (range === CUSTOM && isTime(from) && isTime(to)) {
    const [first, last] = [from, to].map((time) => formatTime(time, zone, "moment"));
    const words = `the time from ${first} to ${last}`;
    return { span: { from, to }, words, setRange: choice, setSpan };
  }
  const known = choose(["1h", ...RANGES], range);
  return { span: { range: known }, words: RANGE_WORDS[known] ?? known, setRange: choice, setSpan };
}

const isTime = (text: string): boolean => !Number.isNaN(Date.parse(text));

function useFilters(): Pick<UsageQuery, "filters" | "isFiltered" | "setFilter" | "clear"> {
  const [key, setKey] = useSearchParam("key");
  const [network, setNetwork] = useSearchParam("network");
  const [method, setMethod] = useSearchParam("method");
  const [outcome, setOutcome] = useSearchParam("outcome");
  const set = { key: setKey, network: setNetwork, method: setMethod, outcome: setOutcome };
  const filters = { key, network, method, outcome };
  return {
    filters,
    isFiltered: Object.values(filters).some((value) => value !== ""),
    setFilter: (name, value) => set[name](value),
    clear,
  };
}

function clear(): void {
  const query = new URLSearchParams(location.search);
  for (const name of FILTERS) query.delete(name);
  navigate(`${location.pathname}?${query}`, { replace: true });
}
