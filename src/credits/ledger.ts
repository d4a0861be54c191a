import type { PlanConfig } from "../config/plans.ts";
import type { MonotonicMs, UnixMs } from "../lib/clock.ts";
import { dayOf, endOf } from "../lib/day.ts";
import type { LeaseJournal } from "../storage/lease-journal.ts";
import type { LedgerStore } from "../storage/ledger-store.ts";
import {
  bucketsOf,
  type Denied,
  giveBackThroughput,
  holdCredits,
  takeThroughput,
  WaitingAdmission,
} from "./admission.ts";
import type { Awake } from "./balance-options.ts";
import type { Balance } from "./credit-headers.ts";
import { CreditReturns } from "./credit-returns.ts";
import { DaysInTurn } from "./days-in-turn.ts";
import type { Lease } from "./lease.ts";
import { Owners } from "./owners.ts";
import { type CreditIdentity, Plans } from "./plans.ts";
import { type Payers, Reservation } from "./reservation.ts";
import type { Scheduler } from "./scheduler.ts";
import { StoreHealth } from "./store-health.ts";

export type { Reservation };

/** A quarter of the second after which unspent credits go back. */
const TICK_MS = 250;
/** A stop waits so long for a store that fails; credits that could not be given back stay charged. */
const STOP_MS = 2000;

export type LedgerOptions = {
  readonly plans: Readonly<Record<string, PlanConfig>>;
  /** Unlike the name of any other process on the store. */
  readonly process: string;
  /** The store is another machine's: leases last for longer than it may be away. */
  readonly isRemote?: boolean;
};

export type LedgerParts = {
  readonly store: Pick<LedgerStore, "take" | "giveBack" | "read">;
  readonly scheduler: Scheduler;
  /** Told once when the store begins to fail. */
  readonly onStoreFailure: (error: unknown) => void;
  /** The store does not know of a take that it had answered. */
  readonly onForgotten?: (() => void) | undefined;
  /** Absent: what is open in a process that is killed stays charged. */
  readonly journal?: LeaseJournal | undefined;
};

/** Why a call gets no credits. */
export type CreditRefusal = {
  readonly kind: "balance" | "throughput" | "key-balance" | "key-throughput" | "unavailable";
  /** Whole seconds, at least 1; absent where asking again does not help, or nobody knows when. */
  readonly retryAfterSeconds?: number;
  /** For people, where there is more to say than the kind. */
  readonly details?: string;
};

/** Waits for the credits of a call. */
export type CreditWaiter = { admitted(outcome: Reservation | CreditRefusal): void };

type Waiting = {
  readonly identity: CreditIdentity;
  readonly credits: number;
  readonly payers: Payers;
  readonly waiter: CreditWaiter;
  /** It took no throughput. */
  readonly isEvent?: boolean;
};

/**
 * The ledger as one process has it: credits are taken from the store in leases and spent in memory,
 * so that a call touches nothing else. The model and why it holds: docs/credits.md.
 */
export class Ledger {
  readonly plans: Plans;
  readonly #scheduler: Scheduler;
  readonly #health: StoreHealth;
  readonly #returns: CreditReturns;
  readonly #days: DaysInTurn;
  readonly #awake = new Set<Awake>();
  readonly #accounts: Owners;
  readonly #keys: Owners;
  #endTicks: () => void = () => undefined;
  #stopping: { readonly untilMs: MonotonicMs; readonly done: () => void } | undefined;

  constructor(options: LedgerOptions, { store, scheduler, onStoreFailure, ...rest }: LedgerParts) {
    this.plans = new Plans(options.plans);
    this.#scheduler = scheduler;
    const health = new StoreHealth(onStoreFailure, scheduler);
    this.#health = health;
    const { process } = options;
    let lastNumber = 0;
    const nextNumber = () => {
      lastNumber += 1;
      return lastNumber;
    };
    const numbered = { store, health, process, nextNumber, isRemote: options.isRemote === true };
    this.#returns = new CreditReturns({ ...numbered, onIdle: () => this.#endStop() });
    this.#days = new DaysInTurn(scheduler);
    const parts = {
      ...numbered,
      returns: this.#returns,
      clock: scheduler,
      journal: rest.journal,
      onForgotten: rest.onForgotten ?? (() => undefined),
      days: this.#days,
      awake: this.#awake,
    };
    this.#accounts = new Owners(parts);
    this.#keys = new Owners(parts);
  }

  /** Begins to give back what is not spent. */
  start(): void {
    this.#endTicks = this.#scheduler.every(TICK_MS, () => this.#tick());
  }

  /**
   * Holds the credits (above 0) of a call. Where the store has to be asked first, it says `waiting`
   * and tells the one who waits once, later. Order: throughput of the account, then of the key, the
   * day of the key, then of the account; a refusal takes nothing.
   */
  admit(
    identity: CreditIdentity,
    credits: number,
    waiter: CreditWaiter,
  ): Reservation | CreditRefusal | "waiting" {
    const nowMs = this.#scheduler.now();
    const atMs = this.#scheduler.monotonic();
    const payers = this.#payers(identity, atMs);
    const denied = takeThroughput(payers, credits, atMs);
    if (denied !== undefined) return this.#refusal(identity, denied);
    const held = holdCredits(payers, credits, { nowMs, atMs });
    if (held instanceof Reservation) return held;
    if ("denial" in held) {
      giveBackThroughput(payers, credits);
      return this.#refusal(identity, held);
    }
    this.#waitFor(held.keyLease, { identity, credits, payers, waiter });
    return "waiting";
  }

  /**
   * The same for what the gateway sends by itself: it draws on the day alone, since nobody can ask for it more slowly.
   * Where several processes share the credits per second, the store counts it among those all the same, and it may be
   * refused for a while.
   */
  admitEvent(
    identity: CreditIdentity,
    credits: number,
    waiter: CreditWaiter,
  ): Reservation | CreditRefusal | "waiting" {
    const nowMs = this.#scheduler.now();
    const atMs = this.#scheduler.monotonic();
    const payers = this.#payers(identity, atMs);
    const held = holdCredits(payers, credits, { nowMs, atMs });
    if (held instanceof Reservation) return held;
    if ("denial" in held) return this.#refusal(identity, held);
    this.#waitFor(held.keyLease, { identity, credits, payers, waiter, isEvent: true });
    return "waiting";
  }

  /**
   * Takes credits per second alone, which nobody is charged: for what loads the gateway and is free.
   * Undefined where they were there.
   */
  draw(identity: CreditIdentity, credits: number): CreditRefusal | undefined {
    const atMs = this.#scheduler.monotonic();
    const denied = takeThroughput(this.#payers(identity, atMs), credits, atMs);
    return denied && this.#refusal(identity, denied);
  }

  /** `keyLease`: what is held of the key's day already. */
  #waitFor(keyLease: Lease | undefined, waiting: Waiting): void {
    const { identity, credits, payers, waiter, isEvent } = waiting;
    const admission = new WaitingAdmission(credits, payers, {
      clock: this.#scheduler,
      buckets: isEvent === true ? [] : bucketsOf(payers),
      resume: (outcome) => {
        const isHeld = outcome instanceof Reservation;
        waiter.admitted(isHeld ? outcome : this.#refusal(identity, outcome));
      },
    });
    admission.wait(keyLease);
  }

  /**
   * Ends a reservation, once. What was not served goes back to the lease that it came from, or to
   * the store for the day that it belongs to. Its credits per second do not: it did load the gateway.
   */
  settle(reservation: Reservation, served: boolean): void {
    reservation.settle(served);
  }

  /** The rest of the account, for the headers of an answer. */
  balance(identity: CreditIdentity): Balance {
    const nowMs = this.#scheduler.now();
    const { perDay, perSecond } = this.plans.ofAccount(identity);
    const account = this.#accounts.find(identity.accountId);
    return {
      limit: perDay,
      remaining: account?.balance.left(nowMs) ?? perDay,
      resetSeconds: secondsOfDayLeft(nowMs),
      perSecond,
      secondLeft: account?.bucket?.left(this.#scheduler.monotonic()) ?? perSecond,
    };
  }

  /**
   * Before an answer of an account that no call asked the store for yet, so that `balance` is right:
   * undefined where it is, else `resume` is called once, later, also where the store fails.
   */
  learn(identity: CreditIdentity, resume: () => void): "waiting" | undefined {
    const { account } = this.#payers(identity, this.#scheduler.monotonic());
    if (account.balance.left(this.#scheduler.now()) !== undefined) return undefined;
    account.balance.learn(resume);
    return "waiting";
  }

  /**
   * Gives back what is open; takes at most two seconds. Calls are refused from now on; those in the
   * air can be settled, but what they give back after the end stays charged.
   */
  stop(): Promise<void> {
    const untilMs = this.#scheduler.monotonic() + STOP_MS;
    return new Promise((done) => {
      this.#stopping = { untilMs, done };
      this.#keys.close();
      this.#accounts.close();
      this.#endStop();
    });
  }

  /** The store failed within the last ten seconds, and did not answer since. */
  get isStoreFailing(): boolean {
    return this.#health.isFailing;
  }

  /** Owners of whose credits a lease is open, or asked for. */
  get leases(): number {
    return this.#awake.size;
  }

  /** Owners in memory. */
  get size(): number {
    return this.#accounts.size + this.#keys.size;
  }

  #payers(identity: CreditIdentity, atMs: MonotonicMs): Payers {
    const figures = this.plans.ofAccount(identity);
    const ofKey = this.plans.ofKey(identity, figures);
    return {
      account: this.#accounts.called(identity.accountId, figures, atMs),
      key: ofKey && this.#keys.called(identity.keyId, ofKey, atMs),
    };
  }

  #refusal(identity: CreditIdentity, { denial, key }: Denied): CreditRefusal {
    const { kind } = denial;
    if (kind === "unavailable") return { kind };
    if (kind === "throughput")
      return key === undefined ? denial : { ...denial, kind: "key-throughput" };
    if (key === undefined) {
      const details = this.plans.fault(identity);
      return details === undefined ? { kind } : { kind, details };
    }
    return { kind: "key-balance", retryAfterSeconds: secondsOfDayLeft(this.#scheduler.now()) };
  }

  #tick(): void {
    const nowMs = this.#scheduler.now();
    const atMs = this.#scheduler.monotonic();
    this.#days.look();
    this.#returns.retry();
    for (const balance of this.#awake) {
      if (!balance.tick(nowMs, atMs)) this.#awake.delete(balance);
    }
    this.#accounts.forget(atMs);
    this.#keys.forget(atMs);
    this.#endStop();
  }

  #endStop(): void {
    if (this.#stopping === undefined) return;
    const { untilMs, done } = this.#stopping;
    const idle = this.#returns.idle && !this.#accounts.isTaking && !this.#keys.isTaking;
    if (!idle && this.#scheduler.monotonic() < untilMs) return;
    this.#endTicks();
    done();
  }
}

function secondsOfDayLeft(nowMs: UnixMs): number {
  return Math.ceil((endOf(dayOf(nowMs)) - nowMs) / 1000);
}
