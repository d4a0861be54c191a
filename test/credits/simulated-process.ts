import type { PlanConfig } from "../../src/config/plans.ts";
import { Ledger, type Reservation } from "../../src/credits/ledger.ts";
import type { LedgerStore, TakeRequest } from "../../src/storage/ledger-store.ts";
import { costOfKill, type Moved } from "./cost-of-kill.ts";
import { SimulatedJournal } from "./simulated-journal.ts";
import { SimulatedStore, type Statement } from "./simulated-store.ts";

export const DAY_MS = 86_400_000;
/** Docs: a clock that is set by less runs on, and one that ran on for so long is trusted. */
const TRUSTED_MS = 600_000;

/** `wallMs`: what the machine's clock says; `realMs`: what it should. */
export type SharedTime = { monotonicMs: number; wallMs: number; realMs: number };

/** A call that was admitted, in the air. */
export type CallInTheAir = {
  readonly reservation: Reservation;
  readonly accountId: string;
  /** The key, where it has a row of the ledger. */
  readonly keyOwner: string | undefined;
  readonly credits: number;
};

/** Credits of one owner in one process, as the store and the clients saw them. */
export type Book = { taken: number; returned: number; served: number; held: number };

/** One process: its ledger, its clock, its way to the store, and the books that are kept of it. */
export class SimulatedProcess {
  readonly name: string;
  readonly ledger: Ledger;
  readonly store: SimulatedStore;
  readonly calls: CallInTheAir[] = [];
  /** Calls that wait for the store, and their credits by owner. */
  waitingCalls = 0;
  readonly waiting = new Map<string, number>();
  /** The largest bound of a lease that the process may still go by, by owner. */
  readonly bounds = new Map<string, number>();
  /** Of each owner, and of each account's day (`id/day`). */
  readonly books = new Map<string, Book>();
  wallOffsetMs = 0;
  /** Of those that keep one. */
  readonly journal: SimulatedJournal | undefined;
  /** The store said that a take had failed which it had carried out. */
  wasLiedTo = false;
  readonly #moved: Moved[] = [];
  readonly startedDay: number;
  /** The day that its clock showed at its start. */
  readonly startedOn: number;
  /** Workers of one gateway start together, and have one clock. */
  readonly gateway: string;
  /** A clock that was wrong ran on over its midnight for long enough to be trusted. */
  passedWrongMidnight = false;
  #jumpedAtMs: number;
  /** The store refused credits that go back, and they were not all sent again. */
  isRefused = false;
  /** Owners of whose last take it does not know whether it was carried out. */
  readonly inDoubt = new Set<string>();
  readonly #time: SharedTime;
  #tick: (() => void) | undefined;
  #nextTickMs = 0;

  constructor(
    name: string,
    parts: {
      readonly time: SharedTime;
      readonly store: LedgerStore;
      readonly plans: Readonly<Record<string, PlanConfig>>;
      readonly isRemote: boolean;
      readonly keepsJournal: boolean;
      readonly sent: (process: SimulatedProcess, statement: Statement) => void;
      readonly taking: (process: SimulatedProcess, request: TakeRequest) => void;
      readonly taken: (process: SimulatedProcess, request: TakeRequest) => void;
    },
  ) {
    this.name = name;
    this.#time = parts.time;
    this.#jumpedAtMs = parts.time.monotonicMs;
    this.startedDay = this.realDay;
    this.startedOn = this.day;
    this.gateway = `${parts.time.monotonicMs} ms, ${parts.time.wallMs}`;
    this.store = new SimulatedStore(parts.store, {
      sent: (statement) => parts.sent(this, statement),
      taking: (request) => parts.taking(this, request),
      taken: (request) => parts.taken(this, request),
    });
    const { time } = parts;
    this.journal = parts.keepsJournal ? new SimulatedJournal(name) : undefined;
    this.ledger = new Ledger(
      { plans: parts.plans, process: name, isRemote: parts.isRemote },
      {
        store: this.store,
        journal: this.journal,
        onStoreFailure: () => undefined,
        scheduler: {
          now: () => this.now,
          monotonic: () => time.monotonicMs,
          elapsed: () => time.monotonicMs,
          every: (intervalMs, run) => {
            this.#nextTickMs = time.monotonicMs + intervalMs;
            this.#tick = () => {
              this.#nextTickMs = time.monotonicMs + intervalMs;
              run();
            };
            return () => {
              this.#tick = undefined;
            };
          },
        },
      },
    );
    this.ledger.start();
  }

  get now(): number {
    return this.#time.wallMs + this.wallOffsetMs;
  }

  get day(): number {
    return Math.floor(this.now / DAY_MS);
  }

  get realDay(): number {
    return Math.floor(this.#time.realMs / DAY_MS);
  }

  get isRight(): boolean {
    return this.now === this.#time.realMs;
  }

  /** The clock runs on since so long before the midnight that was last. */
  get trustedAtMidnight(): boolean {
    return this.#time.monotonicMs - this.#jumpedAtMs - (this.now % DAY_MS) >= TRUSTED_MS;
  }

  /** UTC days of its life. */
  get realDays(): number {
    return this.realDay - this.startedDay + 1;
  }

  /** Its clock was set. */
  jumped(ms: number): void {
    if (Math.abs(ms) >= TRUSTED_MS) this.#jumpedAtMs = this.#time.monotonicMs;
  }

  /** Time passes; `dayBefore`: of this clock, before it did. */
  passed(dayBefore: number): void {
    const isTrusted = this.#time.monotonicMs - this.#jumpedAtMs >= TRUSTED_MS;
    if (!this.isRight && isTrusted && this.day !== dayBefore) this.passedWrongMidnight = true;
  }

  get nextTickMs(): number {
    return this.#tick === undefined ? Number.POSITIVE_INFINITY : this.#nextTickMs;
  }

  tick(): void {
    if (this.#time.monotonicMs >= this.#nextTickMs) this.#tick?.();
  }

  book(name: string): Book {
    let book = this.books.get(name);
    if (book === undefined) {
      book = { taken: 0, returned: 0, served: 0, held: 0 };
      this.books.set(name, book);
    }
    return book;
  }

  /** Credits are on their way back; those that have to wait for them look like a lease from outside. */
  isReturning(name: string): boolean {
    if (this.isRefused) return true;
    for (const { kind, owner } of this.store.statements) {
      if (kind === "giveBack" && owner === name) return true;
    }
    return false;
  }

  moved(owner: string, credits: number, isBack: boolean): void {
    this.#moved.push({ owner, credits, atMs: this.#time.monotonicMs, isBack });
  }

  /** As `costOfKill` has it, with a journal. */
  costOfKill(owner: string): number {
    return costOfKill(this.#moved, { owner, nowMs: this.#time.monotonicMs });
  }

  /** Credits that the store counts as used, and that were not served. */
  open(name: string): number {
    const { taken, returned, served } = this.book(name);
    return taken - returned - served;
  }
}
