import type { UnixMs } from "../lib/moments.ts";

/** How many WebSockets and subscriptions are open with one key. */
export type OpenByKey = { readonly sockets: number; readonly subscriptions: number };

/** Of those with open WebSockets, told by one process. */
export const MOST_KEYS_TOLD = 1000;

/** A process as it tells the others of itself. A gateway has one for each of its workers. */
export type FleetProcess = {
  /** The gateway's. */
  readonly name: string;
  /** From 1 on. */
  readonly worker: number;
  /** Unlike that of any other process. */
  readonly process: string;
  readonly version: string;
  readonly startedAt: UnixMs;
  readonly callsPerSecond: number;
  /** Owners of whose credits it has a lease. */
  readonly leases: number;
  /** By network: the number of its head, null where it is not known. */
  readonly heads: Readonly<Record<string, number | null>>;
  /** By the id of the key; of no more than `MOST_KEYS_TOLD`. */
  readonly open: Readonly<Record<string, OpenByKey>>;
  /** Marks of what should be alike in the files of all gateways, by the name of the setting. */
  readonly marks: Readonly<Record<string, string>>;
};

export type UpstreamName = { readonly network: string; readonly upstream: string };

/** A process that told nothing of itself for so long is taken for gone. */
export const GONE_MS = 10_000;

/**
 * The processes that serve from this storage, and the upstreams that operators drained. `now` is Unix
 * milliseconds, for a database without a clock of its own: PostgreSQL goes by its own.
 */
export type FleetStore = {
  /** The process that last told of itself under the same name and number, if any: perhaps this one. */
  readonly tell: (own: FleetProcess, now: UnixMs) => Promise<string | undefined>;
  /** Those that told of themselves within `GONE_MS`, by name and number. */
  readonly list: (now: UnixMs) => Promise<readonly FleetProcess[]>;
  /** The process has ended. */
  readonly leave: (process: string) => Promise<void>;
  /** Until it is enabled, whatever starts again. */
  readonly setDrained: (place: UpstreamName, isDrained: boolean) => Promise<void>;
  readonly drained: () => Promise<readonly UpstreamName[]>;
  /** A gateway misses what was committed before. Of several the last one counts. */
  readonly tellLoss: (now: UnixMs) => Promise<void>;
  /** When that was told, Unix milliseconds; undefined where it was not, or is forgotten. */
  readonly lossFound: () => Promise<UnixMs | undefined>;
  readonly forgetLoss: () => Promise<void>;
};
