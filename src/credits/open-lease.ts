import type { UnixMs } from "../lib/clock.ts";
import type { Day } from "../storage/ledger-store.ts";
import type { CreditReturns } from "./credit-returns.ts";
import { Lease, type LeaseOwner, leaseBound, leaseSize, type Series } from "./lease.ts";
import type { Ask } from "./lease-taker.ts";

/** A lease is at most 1/16 of the remaining balance, which is the store's own rule. */
const SHARE_OF_REST = 16;

export type OpenLeaseParts = {
  readonly returns: CreditReturns;
  /** A statement that brings credits back has ended, well or not. */
  readonly onReturned: () => void;
};

/** The lease that one owner's calls are paid from in this process, and what is open beside it. */
export class OpenLease implements LeaseOwner {
  readonly owner: string;
  readonly onReturned: () => void;
  returning = 0;
  readonly series = new Map<Day, Series>();
  /** Credits of calls that are neither served nor given up, of all days. */
  held = 0;
  /** Credits that the store is asked for, or was, and nobody knows yet whether it granted them. */
  arriving = 0;
  current: Lease;
  /** Credits of the current lease that went back since the store's last answer. */
  givenBack = 0;
  /** The credits that a lease is filled up to. */
  size = 1;
  readonly #returns: CreditReturns;
  #bound = 1;

  constructor(owner: string, { returns, onReturned }: OpenLeaseParts) {
    this.owner = owner;
    this.onReturned = onReturned;
    this.#returns = returns;
    this.current = new Lease(this, -1);
  }

  measure(perDay: number, perSecond: number, shared: boolean): void {
    this.#bound = leaseBound(perDay, perSecond);
    this.size = leaseSize(perDay, perSecond, shared);
  }

  /** Credits that a call can have at once; `nowMs` is Unix time. */
  atHand(nowMs: UnixMs): number {
    return this.current.isOf(nowMs) ? this.current.left : 0;
  }

  hold(credits: number): Lease {
    this.current.left -= credits;
    this.held += credits;
    return this.current;
  }

  /** Takes back the credits of a call, of this lease or of one that ended. */
  putBack(lease: Lease, credits: number): void {
    if (lease === this.current) lease.left += credits;
    else this.#returns.add(lease, credits);
  }

  /**
   * After that: it stays here up to the bound, and not the size, since calls that fail one by one
   * would cost a statement each; or as far as calls wait for it.
   */
  limit(credits: number, waiting: number): void {
    const most = this.arriving > 0 ? waiting : Math.max(credits, waiting);
    this.#keep(Math.max(this.#room(), most - this.arriving));
  }

  /** Adds credits that the store granted of a day. Today's ends a lease of another day; `today`: of the clock. */
  deposit(day: Day, credits: number, today: Day): void {
    if (day === today && day !== this.current.day) {
      this.giveUp();
      this.current = new Lease(this, day);
    }
    if (day === this.current.day) this.current.left += credits;
    else this.#returns.add(new Lease(this, day), credits);
  }

  /** The credits that the lease should hold, where so much is left of the day in the store. */
  target(rest: number): number {
    const share = Math.floor((rest + this.current.left) / SHARE_OF_REST);
    return Math.min(this.size, this.#room(), share);
  }

  /**
   * The credits to ask for on behalf of calls that wait: `first` needs the first of them, `waiting` all.
   * Undefined where that has to wait for what is on its way back: all that is open stays within the
   * bound or, where calls alone come to more, within what they need and no more than it beside them.
   */
  askFor(first: number, waiting: number, rest: number): Pick<Ask, "least" | "want"> | undefined {
    const { left } = this.current;
    const least = Math.max(1, first - left);
    const allowed = this.#allowed(waiting);
    if (allowed < least) return undefined;
    const need = Math.min(waiting - left, this.size);
    const most = Math.max(this.target(rest) - left, need);
    return { least, want: Math.max(least, Math.min(most, allowed)) };
  }

  /** There is no room for a call beside what is on its way back, and the store refuses that. */
  isStuck(credits: number, waiting: number): boolean {
    if (!this.#returns.isFailing) return false;
    return this.#allowed(Math.max(credits, waiting)) < credits - this.current.left;
  }

  /** Gives back what is over the size, or would be open beyond the bound. */
  trim(): void {
    this.#keep(Math.min(this.size, this.#room()));
  }

  giveUp(): void {
    this.#keep(0);
  }

  /** The rest of another day goes back. */
  endDay(nowMs: UnixMs): void {
    if (!this.current.isOf(nowMs)) this.giveUp();
  }

  /** How much may lie unspent beside what is held, on its way back and asked for. */
  #room(): number {
    return this.#bound - this.held - this.returning - this.arriving;
  }

  #allowed(waiting: number): number {
    const most = Math.min(this.#bound, Math.max(this.#bound - this.held, waiting));
    return most - this.current.left - this.returning;
  }

  #keep(most: number): void {
    const excess = this.current.left - Math.max(0, most);
    if (excess <= 0) return;
    this.current.left -= excess;
    this.givenBack += excess;
    this.#returns.add(this.current, excess);
  }
}
