import { noLatencies } from "../../lib/latency-counts.ts";
import type { NodeMinute, NodePoint, NodeStore } from "../node-store.ts";
import { sumOf } from "./usage-sums.ts";

const MINUTE_MS = 60_000;

type Row = Omit<NodeMinute, "minute"> & { readonly at: number };

/** How nodes did, in memory. */
export function memoryNodes(check: () => void): NodeStore {
  const rows = new Map<string, Row>();
  return {
    record: async (minutes, before) => {
      check();
      for (const { minute, ...row } of minutes) {
        const at = minute * MINUTE_MS;
        const name = JSON.stringify([row.network, row.upstream, at]);
        const known = rows.get(name);
        rows.set(name, { ...row, at, ...(known && plus(known, row)) });
      }
      for (const [name, { at }] of rows) if (at < before) rows.delete(name);
    },
    history: async ({ network, upstream, from, to, stepMs }) => {
      check();
      const points = new Map<number, NodePoint>();
      for (const { network: of, upstream: name, at, ...row } of rows.values()) {
        if (of !== network || name !== upstream || at < from || at >= to) continue;
        const step = at - (at % stepMs);
        points.set(step, { at: step, ...plus(points.get(step) ?? NOTHING, row) });
      }
      return [...points.values()].sort((a, b) => a.at - b.at);
    },
  };
}

type Figures = Omit<NodePoint, "at">;

const NOTHING: Figures = { calls: 0, failed: 0, latencies: noLatencies(), lag: null };

const plus = (a: Figures, b: Figures): Figures => ({
  calls: a.calls + b.calls,
  failed: a.failed + b.failed,
  latencies: sumOf(a.latencies, b.latencies),
  lag: a.lag === null || b.lag === null ? (a.lag ?? b.lag) : Math.max(a.lag, b.lag),
});
