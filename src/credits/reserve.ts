import type { MonotonicMs } from "../lib/clock.ts";
import { DEAREST_CALL_CREDITS, SHARE_OF_REST } from "../storage/ledger-store.ts";

/** What is over its size by less than such a part stays: else an owner that spends less each second would cost a statement each. */
const PARTS_TO_TRIM = 8;
/** Calls do not come evenly, and what they spent is known only so well. */
const HEADROOM = 1.1;
/** What all processes have at once of their shares is to be well within a second of the throughput. */
const BURST_OF_SHARE = 1 / 8;

/**
 * Credits that one process keeps of an owner on which others draw too: the throughput did not count them. They are
 * spent at the pace of the process's share of the throughput or, while a database on another machine is away, at that at
 * which it spent before. So all processes together stay within the throughput.
 */
export class Reserve {
  credits = 0;
  /** What it is filled up to. */
  size = 0;
  /** Where other processes draw, something is kept. */
  isPossible = false;
  #share = 0;
  #shareEndsAtMs: MonotonicMs = 0;
  readonly #ofShare = new Pace();
  #whileAway: Pace | undefined;

  /** No other process draws any more, or it is another day: nothing is kept. Returns what was. */
  end(): number {
    const { credits } = this;
    this.credits = 0;
    return credits;
  }

  /** Credits to ask the store for, where so many are left of the day there. */
  want(rest: number): number {
    return Math.max(0, this.#most(rest) - this.credits);
  }

  /** Takes what it has room for of these. */
  take(credits: number, rest: number): number {
    const taken = Math.max(0, Math.min(credits, this.#most(rest) - this.credits));
    this.credits += taken;
    return taken;
  }

  /** Gives out what is over its size, with some slack. Who is alone again fills up the lease first. */
  takeExcess(rest: number): number {
    if (this.size === 0) return 0;
    const most = this.#most(rest);
    const excess = this.credits - most;
    if (excess * PARTS_TO_TRIM <= most) return 0;
    this.credits = most;
    return excess;
  }

  /**
   * What calls want of a share, credits per second, as far as they can be paid so. `asked`: credits that the store
   * is asked for. Undefined: none of a share could be spent, and others would miss it.
   */
  wanted(perSecond: number | undefined, asked: number): number | undefined {
    if (perSecond === undefined || !this.isPossible) return undefined;
    if (this.size === 0) return perSecond;
    const most = this.credits + asked;
    return most < DEAREST_CALL_CREDITS ? undefined : Math.min(perSecond, most);
  }

  /** The process may spend so many a second until then. */
  setShare(perSecond: number, endsAtMs: MonotonicMs): void {
    this.#share = perSecond;
    this.#shareEndsAtMs = endsAtMs;
  }

  hasShare(atMs: MonotonicMs): boolean {
    return this.#share > 0 && atMs < this.#shareEndsAtMs;
  }

  /** Calls are paid from it. Who calls seldom needs none before the lease is filled up again. */
  isUsed(atMs: MonotonicMs): boolean {
    return this.credits > 0 && this.hasShare(atMs);
  }

  /** Whether a call gets so many of the process's share. */
  drawShare(credits: number, atMs: MonotonicMs): boolean {
    if (!this.hasShare(atMs) || this.credits < credits) return false;
    const rate = { perSecond: this.#share, most: this.#share * BURST_OF_SHARE };
    if (!this.#ofShare.take(credits, rate, atMs)) return false;
    this.credits -= credits;
    return true;
  }

  /** Whether a call gets so many while the store is away. `perSecond`: what the process spent before. */
  draw(credits: number, perSecond: number, atMs: MonotonicMs): boolean {
    // What it still has of a share is all that it gets.
    if (this.hasShare(atMs) || this.credits < credits) return false;
    const pace = Math.ceil(perSecond * HEADROOM) + 1;
    this.#whileAway ??= new Pace();
    if (!this.#whileAway.take(credits, { perSecond: pace, most: pace }, atMs)) return false;
    this.credits -= credits;
    return true;
  }

  /** The store is there: what is drawn when it goes away again begins anew. */
  storeAnswered(): void {
    this.#whileAway = undefined;
  }

  /** Gives out so many, as far as there are. */
  lend(credits: number): number {
    const lent = Math.min(credits, this.credits);
    this.credits -= lent;
    return lent;
  }

  #most(rest: number): number {
    return Math.min(this.size, Math.floor((rest + this.credits) / SHARE_OF_REST));
  }
}

type Rate = {
  readonly perSecond: number;
  /** At once. */
  readonly most: number;
};

/** Credits that come at a rate which may change. There are as many as it lets be drawn at once to begin with. */
class Pace {
  #level = Number.POSITIVE_INFINITY;
  #atMs: MonotonicMs = 0;

  /** A call dearer than all that may be drawn at once has to find all of that, and leaves it below zero. */
  take(credits: number, { perSecond, most }: Rate, atMs: MonotonicMs): boolean {
    const refill = (Math.max(0, atMs - this.#atMs) * perSecond) / 1000;
    this.#level = Math.min(most, this.#level + refill);
    this.#atMs = Math.max(this.#atMs, atMs);
    if (this.#level < Math.min(credits, most)) return false;
    this.#level -= credits;
    return true;
  }
}
