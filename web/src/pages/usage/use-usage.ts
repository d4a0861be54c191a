import { RANGES, SERIES_BY } from "../../../../src/console/contract/constants.ts";
import type { Range, SeriesBy } from "../../../../src/console/contract/usage.ts";
import { navigate, useSearchParam } from "../../router.tsx";
import { choose, type Measure } from "./usage-choices.ts";

/** What the page shows, as its address says it: it can be linked to and survives a reload. */
export type UsageQuery = {
  readonly range: Range;
  readonly by: SeriesBy;
  readonly measure: Measure;
  readonly kind: "bars" | "lines";
  /** Whether the chart is written in UTC rather than the person's zone. */
  readonly isUtc: boolean;
  /** A key's id and a network's name; empty: all. */
  readonly key: string;
  readonly network: string;
  readonly isFiltered: boolean;
  readonly setRange: (range: string) => void;
  readonly setBy: (by: string) => void;
  readonly setMeasure: (measure: string) => void;
  readonly setKind: (kind: string) => void;
  readonly setTimes: (times: string) => void;
  readonly setKey: (key: string) => void;
  readonly setNetwork: (network: string) => void;
  /** Takes key and network away. */
  readonly clear: () => void;
};

export function useUsageQuery(): UsageQuery {
  const [range, setRange] = useSearchParam("range", "1h");
  const [by, setBy] = useSearchParam("by", "method");
  const [measure, setMeasure] = useSearchParam("measure", "calls");
  const [kind, setKind] = useSearchParam("kind", "bars");
  const [times, setTimes] = useSearchParam("times", "local");
  const [key, setKey] = useSearchParam("key");
  const [network, setNetwork] = useSearchParam("network");
  return {
    range: choose(["1h", ...RANGES], range),
    by: choose(SERIES_BY, by),
    measure: choose(["calls", "credits", "failed"], measure),
    kind: choose(["bars", "lines"], kind),
    isUtc: times === "utc",
    ...{ key, network, isFiltered: key !== "" || network !== "" },
    ...{ setRange, setBy, setMeasure, setKind, setTimes, setKey, setNetwork, clear },
  };
}

function clear(): void {
  const query = new URLSearchParams(location.search);
  query.delete("key");
  query.delete("network");
  navigate(`${location.pathname}?${query}`, { replace: true });
}
