/** The counts of calls: by minute, hour and day. Kept for as long as the configuration says. */

import type { LatencyCounts } from "../lib/latency-counts.ts";

/** The outcomes of answered calls, by a primary or by a partner. Any other outcome is an error's name. */
export const ANSWERED_OUTCOMES: readonly string[] = ["ok", "partner"];

/** What the chain itself says of a call that a node carried out: an error, and no failure of the service. */
export const REVERTED_OUTCOMES: readonly string[] = ["revert", "execution_failed"];

export const isFailure = (outcome: string): boolean =>
  !ANSWERED_OUTCOMES.includes(outcome) && !REVERTED_OUTCOMES.includes(outcome);

/** In place of a key's id: keys that called now and then while very many did (docs/usage.md). */
export const OTHER_KEYS = "other";

/** Calls of one minute (Unix minutes), of one account, key, network, method and outcome. */
export type UsageBucket = {
  readonly minute: number;
  readonly accountId: string;
  /** Or OTHER_KEYS. */
  readonly keyId: string;
  readonly network: string;
  readonly method: string;
  /** One of ANSWERED_OUTCOMES, or a name of the error table. */
  readonly outcome: string;
  readonly calls: number;
  readonly credits: number;
  /** Bytes of answers. */
  readonly bytes: number;
  /** The sum of their times. */
  readonly latencyMs: number;
  /** Of those that are timed: events of subscriptions are not. */
  readonly latencies: LatencyCounts;
};

/** How often an account's eth_call named a contract, of one minute; an estimate from a sketch. */
export type ContractCount = {
  readonly minute: number;
  readonly accountId: string;
  readonly network: string;
  readonly contract: string;
  readonly calls: number;
};

export type UsageResolution = "minute" | "hour" | "day";

export type UsageQuery = {
  readonly accountId: string;
  readonly keyId?: string | undefined;
  readonly network?: string | undefined;
  readonly method?: string | undefined;
  readonly outcome?: string | undefined;
  readonly resolution: UsageResolution;
  /** Unix milliseconds, from included, to excluded. */
  readonly from: number;
  readonly to: number;
};

/** One row of an answer: `at` is the beginning of its minute, hour or day, Unix milliseconds. */
export type UsageRow = Omit<UsageBucket, "minute" | "accountId" | "latencies"> & {
  readonly at: number;
};

export const USAGE_DIMENSIONS = ["method", "network", "key", "outcome"] as const;
export type UsageDimension = (typeof USAGE_DIMENSIONS)[number];

export type UsageSeriesQuery = UsageQuery & {
  /** The length of a point's span: a multiple of the resolution. Points begin at multiples of it, in UTC. */
  readonly stepMs: number;
  readonly by: UsageDimension;
  /** How many names are told apart: those most called in the span. */
  readonly top: number;
};

/** `at`: the step's beginning, Unix milliseconds. Steps and names without calls have no point. */
export type UsagePoint = {
  readonly at: number;
  /** A method, a network, a key's id or an outcome; null: all that are not among the `top`. */
  readonly name: string | null;
  readonly calls: number;
  readonly credits: number;
  /** Calls that were neither answered nor reverted. */
  readonly failed: number;
};

/** The sums of a span, over all keys. */
export type UsageTotal = Omit<UsageBucket, "minute" | "accountId" | "keyId">;

/** `at`: the step's beginning, Unix milliseconds. Steps without calls have no point. */
export type LatencyPoint = { readonly at: number; readonly latencies: LatencyCounts };

/** What an account used in a span. */
export type AccountTotal = {
  readonly accountId: string;
  readonly calls: number;
  readonly credits: number;
  /** Calls that were neither answered nor reverted. */
  readonly failed: number;
};

export type TopAccounts = {
  /** By credits, then by calls. */
  readonly leading: readonly AccountTotal[];
  /** Of all that called. */
  readonly all: Omit<AccountTotal, "accountId"> & { readonly accounts: number };
};

/** Larger with each batch of the process, which sends one after the other. */
export type BatchNumber = { readonly process: string; readonly number: number };

export type UsageStore = {
  /**
   * Adds to the minutes, hours and days of these buckets, all or nothing. A batch with a number is added once,
   * however often it is sent.
   */
  readonly record: (
    buckets: readonly UsageBucket[],
    contracts: readonly ContractCount[],
    batch?: BatchNumber,
  ) => Promise<void>;
  /** As many rows as there are: a long span of a busy account is asked for piece by piece. */
  readonly query: (query: UsageQuery) => Promise<readonly UsageRow[]>;
  /** Sums of each step, oldest first, then by name. */
  readonly series: (query: UsageSeriesQuery) => Promise<readonly UsagePoint[]>;
  /** How long the calls of each step took, oldest first. */
  readonly latencies: (
    query: UsageQuery & Pick<UsageSeriesQuery, "stepMs">,
  ) => Promise<readonly LatencyPoint[]>;
  /** Sums of the span, by network, method and outcome. */
  readonly totals: (query: UsageQuery) => Promise<readonly UsageTotal[]>;
  /** The accounts that used most. Of minutes a span should be short: the rows of all accounts are summed. */
  readonly topAccounts: (
    query: Pick<UsageQuery, "resolution" | "from" | "to"> & { readonly limit: number },
  ) => Promise<TopAccounts>;
  /** The contracts most called, most first. */
  readonly topContracts: (
    query: Pick<UsageQuery, "accountId" | "from" | "to"> & { readonly limit: number },
  ) => Promise<readonly Omit<ContractCount, "minute" | "accountId">[]>;
  /**
   * Drops some of what is older than these times, Unix milliseconds; audit and alerts as days. True
   * where there may be more: so that others get their turn, one call drops no more than takes a moment.
   */
  readonly prune: (before: Readonly<Record<UsageResolution, number>>) => Promise<boolean>;
};
