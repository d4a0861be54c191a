/** Rows of its own are worth it from so many calls of a minute on. */
const OFTEN = 16;
/** A million bytes: with millions of calls a minute, spread evenly, no place comes to be often by chance. */
const PLACES = 2 ** 20;

/** Tells what is seen often from what is not, in a fixed amount of memory; what shares a place is seen as one. */
export class OftenSeen {
  readonly #counts = new Uint8Array(PLACES);

  /** Whether it has been seen often by now. `hash`: any integer, of which the lower bits count. */
  see(hash: number): boolean {
    const place = hash & (PLACES - 1);
    const seen = (this.#counts[place] ?? 0) + 1;
    if (seen < OFTEN) this.#counts[place] = seen;
    return seen >= OFTEN;
  }
}
