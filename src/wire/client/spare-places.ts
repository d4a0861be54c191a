import type { Clock } from "../../lib/clock.ts";

/** A connection, by whose exchange it carries; undefined: nobody's, or the gateway's own. */
type Carrying = { readonly account: string | undefined };

/** One place in so many is spare, and no more than MOST_SPARE are. */
const PLACES_FOR_A_SPARE = 16;
const MOST_SPARE = 2;
/** An account that has one place in this many, or more, is heavy. */
const HEAVY_SHARE = 4;
/** The spare places are kept for this long after another account's call. */
const KEPT_MS = 60_000;

/**
 * The last free places of a node go to accounts that have few of its places. An account that floods it
 * takes each place that comes free, and others would wait for one: 16 ms on average where 64 places
 * are taken for a second each. Where one account alone calls, nothing is kept from it.
 */
export class SparePlaces {
  readonly #spare: number;
  readonly #heavy: number;
  readonly #clock: Pick<Clock, "monotonic">;
  #last: string | undefined;
  #othersMs = Number.NEGATIVE_INFINITY;

  constructor(places: number, clock: Pick<Clock, "monotonic">) {
    this.#spare = Math.min(Math.floor(places / PLACES_FOR_A_SPARE), MOST_SPARE);
    this.#heavy = places / HEAVY_SHARE;
    this.#clock = clock;
  }

  /** Every exchange of an account, when it comes. */
  came(account: string): void {
    if (account === this.#last) return;
    if (this.#last !== undefined) this.#othersMs = this.#clock.monotonic();
    this.#last = account;
  }

  /** Whether this account does not get a place where `free` others stay free. */
  isKeptFrom(account: string, free: number, connections: Iterable<Carrying>): boolean {
    if (free >= this.#spare || this.#clock.monotonic() - this.#othersMs >= KEPT_MS) return false;
    let carried = 0;
    for (const connection of connections) if (connection.account === account) carried += 1;
    return carried >= this.#heavy;
  }
}
