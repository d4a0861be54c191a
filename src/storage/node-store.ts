/** How nodes did: by minute, of all gateways together. */

import type { LatencyCounts } from "../lib/latency-counts.ts";
import type { UnixMs } from "../lib/moments.ts";
import type { UpstreamName } from "./fleet-store.ts";

type NodeFigures = {
  /** Attempts, those for the gateway's own sake too. */
  readonly calls: number;
  /** Those that a node did not answer as it should. */
  readonly failed: number;
  readonly latencies: LatencyCounts;
  /** The most blocks that it was seen to lie behind the network's head; null: that is not known. */
  readonly lag: number | null;
};

/** A minute (Unix minutes) of a node. */
export type NodeMinute = UpstreamName & NodeFigures & { readonly minute: number };

/** `at`: the step's beginning, Unix milliseconds. Steps of which nothing is known have no point. */
export type NodePoint = NodeFigures & { readonly at: number };

export type NodeQuery = UpstreamName & {
  /** Unix milliseconds, from included, to excluded. */
  readonly from: UnixMs;
  readonly to: UnixMs;
  /** Whole minutes. Steps begin at multiples of it, in UTC. */
  readonly stepMs: number;
};

export type NodeStore = {
  /** Adds to these minutes, and drops some of what is older than `before`, Unix milliseconds; all or nothing. */
  readonly record: (minutes: readonly NodeMinute[], before: UnixMs) => Promise<void>;
  /** What a node's minutes add up to in each step, oldest first. */
  readonly history: (query: NodeQuery) => Promise<readonly NodePoint[]>;
};
