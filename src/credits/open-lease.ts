import type { Clock, MonotonicMs, UnixMs } from "../lib/clock.ts";
import { type Day, type Grant, SHARE_OF_REST, type TakeRequest } from "../storage/ledger-store.ts";
import type { BalanceParts } from "./balance-options.ts";
import type { CreditReturns } from "./credit-returns.ts";
import {
  Lease,
  type LeaseFigures,
  type LeaseOwner,
  type LeaseSizes,
  leaseSizes,
  type Series,
} from "./lease.ts";
import { LeaseNotes } from "./lease-notes.ts";
import type { Ask } from "./lease-taker.ts";
import { Reserve } from "./reserve.ts";
import { Spending } from "./spending.ts";
import type { StoreHealth } from "./store-health.ts";

/** As much as an eighth of a second's throughput. */
const UNTOLD_A_SECOND = 8;

export type OpenLeaseParts = Pick<BalanceParts, "returns" | "clock" | "isRemote" | "journal"> & {
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
  #sizes: LeaseSizes = { size: 1, together: 1, slack: 0, bound: 1, reserve: 0, mayReserve: false };
  /** All that was ever granted, less what went back. */
  #kept = 0;
  /** What was spent in all when the store was asked last. */
  #told = 0;
  /** Undefined where the store is this machine's. */
  readonly spending: Spending | undefined;
  readonly reserve = new Reserve();
  readonly #notes: LeaseNotes | undefined;
  readonly #clock: Clock;
  #perSecond = 1;
  readonly #returns: CreditReturns;

  constructor(owner: string, parts: OpenLeaseParts) {
    const { returns, clock, isRemote, journal } = parts;
    this.owner = owner;
    this.onReturned = parts.onReturned;
    this.#returns = returns;
    this.#clock = clock;
    this.spending = isRemote ? new Spending(clock.monotonic()) : undefined;
    this.#notes = journal && new LeaseNotes(owner, { journal, clock });
    this.current = new Lease(this, -1);
  }

  /** To be called now and then: it follows what is spent. */
  measure({ perDay, perSecond, shared }: Omit<LeaseFigures, "spent" | "reserved">): void {
    const spent = this.spending?.note(this.#spent, this.#clock.monotonic());
    this.#perSecond = perSecond;
    const { reserve } = this;
    this.#sizes = leaseSizes({ perDay, perSecond, shared, spent, reserved: reserve.credits });
    reserve.size = this.#sizes.reserve;
    reserve.isPossible = this.#sizes.mayReserve;
  }

  /** The credits that a lease is filled up to. */
  get size(): number {
    return this.#sizes.size;
  }

  /** Anything is open, of any day. */
  get isOpen(): boolean {
    return this.unspent + this.held + this.returning > 0;
  }

  /** Credits of the current lease that nobody holds. */
  get unspent(): number {
    return this.current.left + this.reserve.credits;
  }

  /** Credits to ask for beside those of calls, where so many are left of the day in the store. */
  reserveToAsk(rest: number): number {
    return Math.min(this.reserve.want(rest), Math.max(0, this.#room() - this.size));
  }

  /** Of the process's share of the throughput a call gets so many, as far as it goes. */
  drawShare(credits: number, nowMs: UnixMs, atMs: MonotonicMs): void {
    if (this.reserve.credits === 0 || !this.current.isOf(nowMs)) return;
    if (this.reserve.drawShare(credits, atMs)) this.current.left += credits;
  }

  /** While the store is away: whether a call gets so many of what was kept for that. */
  draw(credits: number, nowMs: UnixMs, atMs: MonotonicMs): boolean {
    const isDrawn =
      this.current.isOf(nowMs) && this.reserve.draw(credits, this.spending?.perSecond ?? 0, atMs);
    if (isDrawn) this.current.left += credits;
    return isDrawn;
  }

  /** Credits that a call can have at once; `nowMs` is Unix time. */
  atHand(nowMs: UnixMs): number {
    return this.current.isOf(nowMs) ? this.current.left : 0;
  }

  tell(day: Day): number | undefined {
    if (this.spending === undefined) return undefined;
    this.#told = this.#spent;
    return this.current.day === day ? this.unspent : 0;
  }

  /** Whether so much was spent since then that another process which joins could draw too much. */
  get isUntold(): boolean {
    if (this.spending === undefined) return false;
    return (this.#spent - this.#told) * UNTOLD_A_SECOND >= this.#perSecond;
  }

  /** In all, calls in the air included. */
  get #spent(): number {
    return this.#kept - this.unspent;
  }

  hold(credits: number): Lease {
    this.current.left -= credits;
    this.held += credits;
    if (this.#notes?.isBelow(this.unspent)) {
      this.#notes.spent(credits, this.unspent);
      this.#note();
    }
    return this.current;
  }

  /** Before the store is asked. */
  asked(request: TakeRequest): void {
    this.#notes?.asked(request);
  }

  returned(day: Day): void {
    const series = this.series.get(day);
    if (series !== undefined && series.total !== series.arrived) return;
    const isPresent = day === this.current.day;
    if (this.#notes !== undefined) {
      if (this.arriving > 0 || (isPresent && this.unspent > 0)) return;
      this.#notes.drop(day, isPresent);
    }
    this.series.delete(day);
  }

  #note(isAnswered = false): void {
    if (this.#notes === undefined) return;
    const { day } = this.current;
    const { number, total } = this.#returns.seriesOf(this.current);
    this.#notes.write({ day, series: number, total }, { left: this.unspent, isAnswered });
  }

  /** Takes back the credits of a call. After a clock went to another day and back, the day has another lease. */
  putBack(lease: Lease, credits: number): void {
    if (lease.day === this.current.day) this.current.left += credits;
    else this.#goStraightBack(lease, credits, { isAnswer: false });
  }

  /**
   * After that: it stays here up to the bound, and not the size, since calls that fail one by one
   * would cost a statement each; or as far as calls wait for it.
   */
  limit(credits: number, waiting: number): void {
    const most = this.arriving > 0 ? waiting : Math.max(credits, waiting);
    this.#keep(Math.max(this.#room(), most - this.arriving));
  }

  /** Adds what the store granted of a day, `reserved` beside that of calls. Today's ends a lease of another day. */
  deposit({ day, granted, reserved = 0 }: Grant, today: Day): void {
    this.reserve.storeAnswered();
    const credits = granted + reserved;
    if (credits === 0) return;
    if (day === today && day !== this.current.day) {
      this.giveUp();
      this.current = new Lease(this, day);
    }
    this.#kept += credits;
    if (day === this.current.day) {
      this.current.left += granted;
      this.reserve.credits += reserved;
      // Who is alone again has a lease that the throughput counts in its place.
      if (granted > 0 && this.reserve.size === 0) this.#giveBack(this.reserve.end());
      this.#note(true);
    } else this.#goStraightBack(new Lease(this, day), credits, { isAnswer: true });
  }

  /** The journal counts them among those that go back before they do. The take whose answer they are is not asked again. */
  #goStraightBack(lease: Lease, credits: number, { isAnswer }: { isAnswer: boolean }): void {
    if (this.#notes !== undefined) {
      const { number, total } = this.#returns.seriesOf(lease);
      this.#notes.ended({ day: lease.day, series: number, total: total + credits }, isAnswer);
    }
    this.#goBack(lease, credits);
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
    const need = Math.min(waiting - left, this.#sizes.together);
    const most = Math.max(this.target(rest) - left, need);
    return { least, want: Math.max(least, Math.min(most, allowed)) };
  }

  /** There is no room for a call beside what is on its way back, and the store refuses that. */
  isStuck(credits: number, waiting: number): boolean {
    if (!this.#returns.isFailing) return false;
    return this.#allowed(Math.max(credits, waiting)) < credits - this.current.left;
  }

  /** Gives back what is over the size, or would be open beyond the bound. */
  trim(rest: number): void {
    const over = this.current.left - this.size;
    this.current.left -= this.reserve.take(Math.max(0, over), rest);
    this.current.left += this.reserve.takeExcess(rest);
    const isOver = this.current.left > this.size + this.#sizes.slack;
    this.#keep(Math.min(isOver ? this.size : this.current.left, this.#room()));
  }

  /** Others may need it: nobody has called for a while. A database that is away takes nothing back: one credit finds out. */
  rest({ isFailing }: Pick<StoreHealth, "isFailing">): void {
    if (this.spending === undefined || !isFailing) this.giveUp();
    else if (this.#returns.idle) {
      this.current.left += this.reserve.lend(1);
      this.#keep(this.current.left - 1);
    }
  }

  giveUp(): void {
    if (this.unspent === 0) return;
    this.current.left += this.reserve.end();
    this.#keep(0);
    this.#note();
  }

  /** To be called a few times a second: what the next process would find has to be up to date. */
  tick(nowMs: UnixMs): void {
    this.endDay(nowMs);
    if (this.#notes === undefined) return;
    if (this.#notes.isOutdated(this.unspent)) this.#note();
    for (const day of this.#notes.days) this.returned(day);
  }

  /** The rest of another day goes back. */
  endDay(nowMs: UnixMs): void {
    if (!this.current.isOf(nowMs)) this.giveUp();
  }

  /** How much may lie unspent beside what is held, on its way back and asked for. */
  #room(): number {
    return this.#sizes.bound - this.held - this.returning - this.arriving - this.reserve.credits;
  }

  #allowed(waiting: number): number {
    const most = Math.min(this.#sizes.bound, Math.max(this.#sizes.bound - this.held, waiting));
    return most - this.unspent - this.returning;
  }

  #keep(most: number): void {
    const excess = this.current.left - Math.max(0, most);
    if (excess <= 0) return;
    this.current.left -= excess;
    this.#giveBack(excess);
  }

  #giveBack(credits: number): void {
    if (credits === 0) return;
    this.givenBack += credits;
    this.#goBack(this.current, credits);
    this.#notes?.wentBack(credits);
  }

  #goBack(lease: Lease, credits: number): void {
    this.#kept -= credits;
    this.#returns.add(lease, credits);
  }
}
