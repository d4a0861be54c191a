import type { Clock, MonotonicMs } from "../../lib/clock.ts";
import { type Timers, TURN_MS } from "../../lib/timer-wheel.ts";
import type { Subscription } from "../subscription.ts";

/** The chain is followed for so long after the last who was told: filters are asked again, and clients come back. */
const LINGER_MS = 60_000;
/** Nodes are asked for new blocks as for clients that use the head. */
const USE_MS = 10_000;

export type FollowersParts = {
  /** Begins to follow the chain. Returns what ends it. */
  readonly follow: (changed: () => void) => () => void;
  /** Called now and then while it is followed. */
  readonly inUse: () => void;
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  /** Runs it in a later turn of the event loop. */
  readonly later: (run: () => void) => void;
};

/** All who are told of one chain, which is followed while there are any. */
export class Followers {
  readonly #parts: FollowersParts;
  readonly #all = new Set<Subscription>();
  #stopFollowing: (() => void) | undefined;
  /** When somebody was told last. */
  #usedMs: MonotonicMs = 0;
  #isPassing = false;
  #hasNews = false;

  constructor(parts: FollowersParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#all.size;
  }

  add(one: Subscription): void {
    this.#all.add(one);
    this.use();
  }

  remove(one: Subscription): void {
    this.#all.delete(one);
    this.#usedMs = this.#parts.clock.monotonic();
  }

  /** Somebody needs the chain to be followed for a while. */
  use(): void {
    this.#usedMs = this.#parts.clock.monotonic();
    if (this.#stopFollowing !== undefined) return;
    this.#stopFollowing = this.#parts.follow(() => this.pass());
    this.#stayInUse();
  }

  #stayInUse(): void {
    const { clock, timers, inUse } = this.#parts;
    inUse();
    timers.set(USE_MS, () => {
      if (this.#all.size > 0 || clock.monotonic() - this.#usedMs < LINGER_MS) this.#stayInUse();
      else {
        this.#stopFollowing?.();
        this.#stopFollowing = undefined;
      }
    });
  }

  /**
   * Tells all of them what is new, for 5 ms in each turn of the event loop; never in this one, whose moment may stand
   * still until whatever brought the news has been dealt with.
   */
  pass(): void {
    this.#hasNews = true;
    if (this.#isPassing) return;
    this.#isPassing = true;
    this.#parts.later(() => this.#goOn(this.#begin()));
  }

  #begin(): Iterator<Subscription> {
    this.#hasNews = false;
    return this.#all.values();
  }

  #goOn(rest: Iterator<Subscription>): void {
    const { clock, later } = this.#parts;
    const beganMs = clock.monotonic();
    for (let next = rest.next(); next.done !== true; next = rest.next()) {
      next.value.advance();
      if (clock.monotonic() - beganMs >= TURN_MS) {
        later(() => this.#goOn(rest));
        return;
      }
    }
    this.#isPassing = false;
    if (this.#hasNews) this.pass();
  }
}
