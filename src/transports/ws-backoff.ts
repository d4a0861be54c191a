const SHORTEST_MS = 250;
/** As long as the longest time for which a recovered node may stay unused allows. */
export const LONGEST_BACKOFF_MS = 8_000;

/** How long to wait before the next try: doubled each time, and never the same for two gateways. */
export class Backoff {
  readonly #random: () => number;
  #tries = 0;

  /** `random`: from 0 up to 1, as Math.random gives it. */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** Milliseconds, 250 to 8,000: at random between the half and the whole of 500, 1,000, … */
  next(): number {
    const most = Math.min(2 * SHORTEST_MS * 2 ** this.#tries, LONGEST_BACKOFF_MS);
    this.#tries += 1;
    return (most / 2) * (1 + this.#random());
  }

  reset(): void {
    this.#tries = 0;
  }
}
