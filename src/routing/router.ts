import { waitersInTurns } from "../lib/turn-queue.ts";
import { AttemptBudget } from "./attempt-budget.ts";
import { Flight } from "./flight.ts";
import { RecentQuantile } from "./quantile.ts";
import type { FlightParts, RoutedRequest, RouterParts } from "./routing.ts";
import { MOST_OF_VOLLEY, Volley } from "./volley.ts";

export type RouterOptions = { readonly hedgeShare: number };

/** The share of calls that may be retried because an attempt timed out. */
const RETRY_SHARE = 0.2;
/** A node that hangs holds up so many calls before its breaker opens, and more. */
const RETRIES_SAVED = 100;

/** Takes the calls of one network to its upstreams. docs/routing.md says by which rules. */
export class Router {
  readonly #parts: FlightParts;
  /** The requests that came within `together`. */
  #gathered: RoutedRequest[] | undefined;

  constructor({ hedgeShare }: RouterOptions, parts: RouterParts) {
    this.#parts = {
      ...parts,
      primaries: parts.upstreams.filter(({ role }) => role === "primary"),
      partners: parts.upstreams.filter(({ role }) => role === "partner"),
      latency: new RecentQuantile(parts.clock, 0.95),
      hedges: new AttemptBudget(hedgeShare),
      retries: new AttemptBudget(RETRY_SHARE, RETRIES_SAVED),
      waiting: new Set(),
    };
  }

  fetch(request: RoutedRequest): void {
    this.#parts.hedges.called();
    this.#parts.retries.called();
    if (this.#gathered === undefined) this.#fly(request);
    else this.#gathered.push(request);
  }

  /** Requests made by `run` are sent when this returns: together, where they need the same of a node. */
  together(run: () => void): void {
    const gathered: RoutedRequest[] = [];
    this.#gathered = gathered;
    try {
      run();
    } finally {
      this.#gathered = undefined;
      this.#sendAll(gathered);
    }
  }

  /** Those that are alike come one after another, in the batches that clients send. */
  #sendAll(requests: readonly RoutedRequest[]): void {
    for (let at = 0; at < requests.length; ) {
      const first = requests[at] as RoutedRequest;
      const most = Math.min(at + MOST_OF_VOLLEY, requests.length);
      let end = at + 1;
      while (end < most && isAlike(first, requests[end] as RoutedRequest)) end += 1;
      const sent = end - at > 1 ? Volley.send(requests.slice(at, end), this.#parts) : 0;
      if (sent === 0) this.#fly(first);
      at += Math.max(sent, 1);
    }
  }

  #fly(request: RoutedRequest): void {
    new Flight(request, this.#parts).next();
  }

  /** A node got further: calls that wait for a block look again. */
  wake(): void {
    waitersInTurns(this.#parts.waiting, (wait) => wait.wake());
  }
}

/** Needs are made once for all that have them (networks/needs.ts). */
function isAlike(one: RoutedRequest, another: RoutedRequest): boolean {
  return one.need === another.need && one.deadlineMs === another.deadlineMs;
}
