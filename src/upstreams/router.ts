import { Flight } from "./flight.ts";
import { HedgeBudget } from "./hedge-budget.ts";
import { RecentQuantile } from "./quantile.ts";
import type { FlightParts, RoutedRequest, RouterParts } from "./routing.ts";

export type RouterOptions = { readonly hedgeShare: number };

/** Takes the calls of one network to its upstreams. docs/routing.md says by which rules. */
export class Router {
  readonly #parts: FlightParts;

  constructor({ hedgeShare }: RouterOptions, parts: RouterParts) {
    this.#parts = {
      ...parts,
      primaries: parts.upstreams.filter(({ role }) => role === "primary"),
      partners: parts.upstreams.filter(({ role }) => role === "partner"),
      latency: new RecentQuantile(parts.clock, 0.95),
      hedges: new HedgeBudget(hedgeShare),
      waiting: new Set(),
    };
  }

  fetch(request: RoutedRequest): void {
    this.#parts.hedges.called();
    new Flight(request, this.#parts).next();
  }

  /** A node got further: calls that wait for a block look again. */
  wake(): void {
    for (const flight of [...this.#parts.waiting]) flight.wake();
  }
}
