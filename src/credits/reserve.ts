import type { MonotonicMs } from "../lib/clock.ts";
import { SHARE_OF_REST } from "../storage/ledger-store.ts";
import { TokenBucket } from "./token-bucket.ts";

/** What is missing of it is asked for once it is such a part: else each take would bring a few. */
const PARTS_TO_ASK = 8;
/** Calls do not come evenly, and what they spent is known only so well. */
const HEADROOM = 1.1;

/**
 * Credits that one process keeps of an owner on which others draw too, for when a database on another machine is
 * away: the throughput did not count them. They are then spent at the pace at which the process spent before, so that all
 * processes together stay within the throughput.
 */
export class Reserve {
  credits = 0;
  /** What it is filled up to. */
  size = 0;
  #pace: TokenBucket | undefined;

  /** No other process draws any more, or it is another day: nothing is kept. Returns what was. */
  end(): number {
    const { credits } = this;
    this.credits = 0;
    return credits;
  }

  /** Credits to ask the store for, where so many are left of the day there. */
  want(rest: number): number {
    const missing = this.#most(rest) - this.credits;
    return missing * PARTS_TO_ASK >= this.size ? Math.max(0, missing) : 0;
  }

  /** Takes what it has room for of these. */
  take(credits: number, rest: number): number {
    const taken = Math.max(0, Math.min(credits, this.#most(rest) - this.credits));
    this.credits += taken;
    return taken;
  }

  /** Gives out what is over its size, with some slack. */
  takeExcess(rest: number): number {
    const most = this.#most(rest);
    const excess = this.credits - most;
    if (excess * PARTS_TO_ASK <= most) return 0;
    this.credits = most;
    return excess;
  }

  /** Whether a call gets so many while the store is away. `perSecond`: what the process spent before. */
  draw(credits: number, perSecond: number, atMs: MonotonicMs): boolean {
    if (this.credits < credits) return false;
    this.#pace ??= new TokenBucket(Math.ceil(perSecond * HEADROOM) + 1, atMs);
    if (!this.#pace.take(credits, atMs)) return false;
    this.credits -= credits;
    return true;
  }

  /** Gives out so many, as far as there are. */
  lend(credits: number): number {
    const lent = Math.min(credits, this.credits);
    this.credits -= lent;
    return lent;
  }

  /** The store is there: what is drawn when it goes away again begins anew. */
  storeAnswered(): void {
    this.#pace = undefined;
  }

  #most(rest: number): number {
    return Math.min(this.size, Math.floor((rest + this.credits) / SHARE_OF_REST));
  }
}
