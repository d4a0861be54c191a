import type { MonotonicMs, UnixMs } from "../lib/clock.ts";
import { dayOf } from "../lib/day.ts";
import { type Grant, SHARE_MS } from "../storage/ledger-store.ts";
import type { BalanceFigures, BalanceOptions, BalanceParts } from "./balance-options.ts";
import { DayRest } from "./day-rest.ts";
import { type Denial, RecentDenial, throughputDenial, UNAVAILABLE } from "./denial.ts";
import type { Lease } from "./lease.ts";
import { type Ask, creditsOf, LeaseTaker, PATIENCE_MS } from "./lease-taker.ts";
import { OpenLease } from "./open-lease.ts";
import { isScarce, Sharing } from "./sharing.ts";
import { type Waiter, WaitingLine } from "./waiting-line.ts";

/** Unspent credits go back so long after the last call: others may need them, and `used` is right. */
const IDLE_MS = 1000;
/** Within the 2 s after which the store takes a process for gone: who draws is known to the others. */
const RENEW_MS = 1000;

/**
 * The day's credits of one owner (an account, or a key with limits of its own) as one process has
 * them: a lease that calls are paid from, filled up in the background, and a line of calls that wait
 * when it does not suffice. At most one `take` is in the air. docs/credits.md has the invariants.
 * Everywhere `nowMs` is Unix time and `atMs` never goes back.
 */
export class DailyBalance {
  readonly owner: string;
  readonly #parts: BalanceParts;
  readonly #open: OpenLease;
  readonly #taker: LeaseTaker;
  readonly #rest: DayRest;
  readonly #line = new WaitingLine<Lease | Denial>();
  readonly #recent = new RecentDenial();
  #figures: BalanceFigures;
  readonly #sharing: Sharing;
  #spentSince = false;
  /** The limit shrank since credits were asked for. */
  #isOutdated = false;
  #lastCredits = 1;
  #lastCallAtMs = 0;
  #serving = false;
  #closed = false;

  constructor({ owner, figures, onAlone }: BalanceOptions, parts: BalanceParts) {
    this.owner = owner;
    this.#parts = parts;
    this.#figures = figures;
    this.#rest = new DayRest(owner, parts);
    this.#sharing = new Sharing(onAlone);
    this.#open = new OpenLease(owner, { ...parts, onReturned: () => this.#pump() });
    this.#taker = new LeaseTaker({
      ...parts,
      asked: (request) => this.#open.asked(request),
      answered: (grant, ask) => this.#answered(grant, ask),
    });
    this.#measure();
  }

  /** Follows a plan that changed, at once; what was spent of the day stays spent. */
  setFigures(figures: BalanceFigures): void {
    const more = figures.perDay - this.#figures.perDay;
    this.#rest.change(more);
    this.#figures = figures;
    this.#recent.forget();
    this.#measure();
    // A smaller day may be over already; what was taken of a larger one must not outlast it.
    this.#isOutdated = more < 0;
    if (more < 0) this.#open.giveUp();
    else if (this.#line.length === 0) this.#open.trim(this.#rest.credits);
  }

  /** Holds credits (above 0) for a call: their lease, or why they cannot be had; undefined where it has to `wait`. */
  hold(credits: number, nowMs: UnixMs, atMs: MonotonicMs): Lease | Denial | undefined {
    this.#open.spending?.ask(credits);
    if (this.#line.length === 0) return this.#decide(credits, nowMs, atMs);
    return this.#taker.isStalled(atMs) ? UNAVAILABLE : undefined;
  }

  /** After `hold` said so: it stands in line with the calls that wait; its `done` is called once, later. */
  wait(waiter: Waiter<Lease | Denial>): void {
    this.#line.push(waiter);
    // Else what is in the air, or at work, comes to this call too.
    if (!this.#taker.isTaking && !this.#serving) this.#takeForLine();
  }

  /** Ends a hold, once: the credits were served, or go back to where they came from. */
  settle(lease: Lease, credits: number, served: boolean): void {
    this.#open.held -= credits;
    if (served) return;
    this.#open.putBack(lease, credits);
    this.#open.endDay(this.#parts.clock.now());
    if (this.#closed) this.#open.giveUp();
    this.#parts.awake.add(this);
    if (this.#line.length > 0) this.#pump();
    this.#open.limit(credits, this.#line.credits);
  }

  /** The rest of the present day; undefined before this process knows. */
  left(nowMs: UnixMs): number | undefined {
    const { current, givenBack, unspent } = this.#open;
    const rest = this.#rest.of(dayOf(nowMs));
    return rest === undefined || !current.isOf(nowMs) ? rest : rest + givenBack + unspent;
  }

  /** Asks the store what is left of the day; `done` is called in any case. */
  learn(done: () => void): void {
    this.#rest.learn(done, this.#figures.perDay);
  }

  /** Does what is due as time passes. False where there is nothing to look after until the next call. */
  tick(nowMs: UnixMs, atMs: MonotonicMs): boolean {
    if (this.#parts.isRemote) this.#measure();
    this.#open.tick(nowMs);
    this.#line.dismiss(atMs - PATIENCE_MS, UNAVAILABLE);
    // Credits that were kept, or asked for, for calls that are gone must not be open beyond the bound.
    this.#open.limit(0, this.#line.credits);
    if (this.#taker.inDoubt > 0) this.#resolveDoubt(nowMs, atMs);
    else if (!this.#taker.isTaking && this.#line.length === 0) this.#settleDown(nowMs, atMs);
    if (this.#line.length > 0 && this.#isAway(atMs)) this.#serveLine();
    return this.isTakingOrInDoubt || this.#line.length > 0 || this.#open.unspent > 0;
  }

  /** Gives everything back, and nothing out any more. */
  close(): void {
    this.#closed = true;
    this.#line.dismiss(Number.POSITIVE_INFINITY, UNAVAILABLE);
    this.#open.giveUp();
  }

  get isBusy(): boolean {
    return this.isTakingOrInDoubt || this.#line.length > 0 || this.#open.isOpen;
  }

  get isTakingOrInDoubt(): boolean {
    return this.#taker.isTaking || this.#taker.inDoubt > 0;
  }

  #decide(credits: number, nowMs: UnixMs, atMs: MonotonicMs): Lease | Denial | undefined {
    if (this.#closed) return UNAVAILABLE;
    this.#open.drawShare(credits, nowMs, atMs);
    const missing = credits - this.#open.atHand(nowMs);
    if (missing > 0 && !(this.#isAway(atMs) && this.#open.draw(missing, nowMs, atMs))) {
      if (this.#taker.isStalled(atMs)) return UNAVAILABLE;
      if (this.#open.isStuck(credits, this.#line.credits)) return UNAVAILABLE;
      return this.#recent.of(missing, nowMs, atMs);
    }
    const lease = this.#open.hold(credits);
    this.#lastCallAtMs = atMs;
    this.#lastCredits = credits;
    this.#spentSince = true;
    if (!this.#taker.isTaking && this.#recent.mayAskAhead(atMs)) this.#fillUp(nowMs, atMs);
    return lease;
  }

  #isAway(atMs: MonotonicMs): boolean {
    return this.#taker.isLate(atMs) || this.#parts.health.isFailing;
  }

  /** Before calls have to wait: once less than half is left. */
  #fillUp(nowMs: UnixMs, atMs: MonotonicMs): void {
    const { reserve, current } = this.#open;
    const missing = this.#missing;
    // Little by little would be a statement a call; then calls rather wait, and take together.
    const isEnough = missing <= current.left || missing * 8 < this.#open.size;
    const isDue = missing > 0 && (!isEnough || this.#open.isUntold);
    const isLow =
      reserve.isUsed(atMs) && this.#open.reserveToAsk(this.#rest.credits) * 2 > reserve.size;
    if (isDue || isLow) this.#takeAhead(missing, nowMs, atMs);
  }

  /** A lease that pays no call would be a statement beside each call's own, and throughput that others miss. */
  get #missing(): number {
    const target = this.#open.target(this.#rest.credits);
    return target < this.#lastCredits ? 0 : target - this.#open.current.left;
  }

  /** Serves the line as far as the lease reaches, and asks the store for the rest. */
  #pump(): void {
    const isWaiting = this.#serveLine();
    if (isWaiting && !this.#taker.isTaking) this.#takeForLine();
  }

  /** Serves or refuses, in order, whom it can; false where nobody has to wait. */
  #serveLine(): boolean {
    if (this.#serving) return false;
    this.#serving = true;
    const { clock } = this.#parts;
    try {
      for (let first = this.#line.first; first !== undefined; first = this.#line.first) {
        const outcome = this.#decide(first.credits, clock.now(), clock.monotonic());
        if (outcome === undefined) return true;
        this.#line.shift();
        first.done(outcome);
      }
      return false;
    } finally {
      this.#serving = false;
    }
  }

  #takeForLine(): void {
    const { clock } = this.#parts;
    const [nowMs, atMs] = [clock.now(), clock.monotonic()];
    this.#open.endDay(nowMs);
    if (this.#taker.inDoubt > 0) this.#resolveDoubt(nowMs, atMs);
    else {
      const { first, credits } = this.#line;
      const ask = this.#open.askFor(first?.credits ?? 0, credits, this.#rest.credits);
      if (ask !== undefined) this.#take({ ...ask, ahead: false }, nowMs, atMs);
    }
  }

  /** Asks once more what became of the last take; what is granted beyond the need goes back. */
  #resolveDoubt(nowMs: UnixMs, atMs: MonotonicMs): void {
    if (this.#taker.isTaking || !this.#parts.health.mayTry()) return;
    this.#takeAhead(this.#taker.inDoubt, nowMs, atMs);
  }

  #takeAhead(missing: number, nowMs: UnixMs, atMs: MonotonicMs): void {
    const want = Math.max(0, missing);
    this.#take({ least: Math.min(want, this.#lastCredits), want, ahead: true }, nowMs, atMs);
  }

  #take(what: Omit<Ask, "reserve">, nowMs: UnixMs, atMs: MonotonicMs): void {
    this.#spentSince = false;
    const ask = { ...what, reserve: this.#open.reserveToAsk(this.#rest.credits) };
    // A take that is asked again is as old as its first time.
    if (this.#taker.inDoubt === 0) this.#isOutdated = false;
    this.#open.arriving = this.#taker.inDoubt || creditsOf(ask);
    this.#parts.awake.add(this);
    const { perDay: limit, sharedPerSecond: perSecond } = this.#figures;
    const day = this.#taker.dayToAsk(dayOf(nowMs));
    const of = { owner: this.owner, day, ...this.#parts.days.standingOf(day) };
    const { reserve, isUntold } = this.#open;
    const isCalm = this.#sharing.isShared ? reserve.isUsed(atMs) : !isUntold;
    const mayWait = ask.ahead && isCalm && this.#taker.inDoubt === 0;
    const wanted = reserve.wanted(this.#open.spending?.wanted(atMs), ask.reserve);
    const told = { wanted, unspent: this.#open.tell(day) };
    this.#taker.take(ask, { ...of, limit, perSecond, ...told, mayWait, now: nowMs }, atMs);
  }

  #answered(grant: Grant | undefined, ask: Ask): void {
    const { clock } = this.#parts;
    const atMs = clock.monotonic();
    this.#open.arriving = this.#taker.inDoubt;
    if (grant === undefined) this.#recent.rememberFailure(atMs);
    else this.#granted(grant, ask, atMs);
    this.#open.endDay(clock.now());
    this.#pump();
    if (this.#closed) this.#open.giveUp();
    // The calls in line have what is left here counted in with what they ask for.
    else if (this.#line.length === 0) this.#open.trim(this.#rest.credits);
  }

  #granted(grant: Grant, ask: Ask, atMs: MonotonicMs): void {
    const today = dayOf(this.#parts.clock.now());
    this.#open.deposit(grant, today);
    this.#open.reserve.setShare(grant.share ?? 0, this.#taker.sentAtMs + SHARE_MS);
    if (this.#isOutdated) this.#open.giveUp();
    // An answer of another day says nothing of this one: the calls in line ask again.
    if (grant.day !== today) return;
    this.#rest.set(grant.day, grant.left);
    this.#open.givenBack = 0;
    if (this.#sharing.note(grant.shared, atMs)) this.#measure();
    if (grant.granted === 0 && ask.want > 0) this.#refused(grant, ask, atMs);
    if (!isScarce(grant, ask)) return;
    // Calls that queued here would be served late, in a burst when the others stop.
    this.#serveLine();
    this.#line.dismiss(atMs, throughputDenial(grant.waitMs));
    // The rest of the throughput is for those that have no share: it is asked for a few times a second.
    if (grant.share !== undefined) this.#recent.rememberScarcity(grant, atMs);
  }

  #refused(grant: Grant, ask: Ask, atMs: MonotonicMs): void {
    if (ask.ahead) {
      this.#recent.refusedAhead(atMs);
      return;
    }
    const { left } = this.#open.current;
    // The rest here is too little for this call, but with another process's rest it may do.
    if (grant.waitMs === 0) this.#open.giveUp();
    this.#recent.rememberRefusal(grant, ask, { atMs, left });
  }

  #settleDown(nowMs: UnixMs, atMs: MonotonicMs): void {
    if (this.#open.unspent === 0) return;
    if (atMs - this.#lastCallAtMs >= IDLE_MS) {
      this.#open.rest(this.#parts.health);
      return;
    }
    this.#open.trim(this.#rest.credits);
    const missing = this.#missing;
    // A process with a share pays calls beside its lease.
    const isDue = missing > 0 || (this.#parts.isRemote && this.#sharing.isShared);
    const mayAsk = atMs - this.#taker.sentAtMs >= RENEW_MS && this.#recent.mayAskAhead(atMs);
    if (this.#spentSince && isDue && mayAsk) this.#takeAhead(missing, nowMs, atMs);
  }

  #measure(): void {
    this.#open.measure({ ...this.#figures, shared: this.#sharing.isShared });
  }
}
