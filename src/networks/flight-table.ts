import type { SharedFlight } from "./shared-flight.ts";

/** For some thousand calls in the air; with more of them a look-up takes a step or two longer. */
const BUCKETS = 4096;

/**
 * The flights in the air, by what they ask. Not a Map: one that is filled and emptied with each call
 * makes its table anew again and again, and those that it outgrew keep the flights' keys until a full
 * collection, at a tenth of what a forwarded call costs.
 */
export class FlightTable {
  readonly #buckets: (SharedFlight | undefined)[] = new Array(BUCKETS).fill(undefined);

  /** The newest that asks this; `hash` is the key's. */
  find(key: string, hash: number): SharedFlight | undefined {
    let flight = this.#buckets[hash % BUCKETS];
    while (flight !== undefined && (flight.hash !== hash || flight.key !== key)) {
      flight = flight.next;
    }
    return flight;
  }

  add(flight: SharedFlight): void {
    const bucket = flight.hash % BUCKETS;
    flight.next = this.#buckets[bucket];
    this.#buckets[bucket] = flight;
  }

  remove(flight: SharedFlight): void {
    const bucket = flight.hash % BUCKETS;
    const first = this.#buckets[bucket];
    if (first === flight) this.#buckets[bucket] = flight.next;
    else {
      let before = first;
      while (before !== undefined && before.next !== flight) before = before.next;
      if (before !== undefined) before.next = flight.next;
    }
    // One that the collector has not found yet must not keep those after it.
    flight.next = undefined;
  }
}
