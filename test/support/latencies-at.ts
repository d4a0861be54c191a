import { type LatencyCounts, latencyPlace, noLatencies } from "../../src/lib/latency-counts.ts";

/** The counts of so many calls that all took as long. */
export function latenciesAt(ms: number, calls: number): LatencyCounts {
  const counts = noLatencies();
  counts[latencyPlace(ms)] = calls;
  return counts;
}
