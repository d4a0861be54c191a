import type { Clock, MonotonicMs, UnixMs } from "../lib/clock.ts";
import type { LeaseJournal } from "../storage/lease-journal.ts";
import type { LedgerStore } from "../storage/ledger-store.ts";
import type { CreditReturns } from "./credit-returns.ts";
import type { DaysInTurn } from "./days-in-turn.ts";
import type { StoreHealth } from "./store-health.ts";

export type BalanceFigures = {
  readonly perDay: number;
  /** Sizes the leases. */
  readonly perSecond: number;
  /** The rate that the store holds several processes to, together. */
  readonly sharedPerSecond: number;
};

export type BalanceOptions = {
  readonly owner: string;
  readonly figures: BalanceFigures;
  /** No other process draws any more; how long ago one still did. */
  readonly onAlone: (agoMs: number, atMs: MonotonicMs) => void;
};

/** A part that is looked after as time passes; `tick` says false when no more. */
export type Awake = { tick(nowMs: UnixMs, atMs: MonotonicMs): boolean };

export type BalanceParts = {
  readonly store: Pick<LedgerStore, "take" | "read">;
  readonly returns: CreditReturns;
  readonly health: StoreHealth;
  readonly clock: Clock;
  readonly days: DaysInTurn;
  /** The store is another machine's: it may be away, and asking it takes long. */
  readonly isRemote: boolean;
  /** What the next process finds where this one is killed. */
  readonly journal: LeaseJournal | undefined;
  /** The name of the process that takes, and a number that is larger each time. */
  readonly process: string;
  readonly nextNumber: () => number;
  /** The store misses what it had committed. */
  readonly onForgotten: () => void;
  readonly awake: Set<Awake>;
};
