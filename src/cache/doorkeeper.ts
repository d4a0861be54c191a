/** The least number of answers that shows whether they are asked for again. */
const LEAST = 512;
const WINDOW = 8192;
/** Where not even one in so many comes again, keeping them all costs more than it saves. */
const RARE = 32;
/** The number of remembered keys; a newer key replaces an older one. */
const PLACES = 65_536;

/**
 * Decides for answers of one kind whether the next is kept at once, or only when it is asked for a
 * second time: never-repeated calls would fill the memory, and each cost more than its look-up.
 */
export class Doorkeeper {
  #asked = 0;
  #repeated = 0;
  /** Hashes; made when it is needed. */
  #remembered: Uint32Array | undefined;

  /** A kept answer was asked for again. */
  hit(): void {
    this.#repeated += 1;
  }

  /** Whether the answer of the key with this hash (not 0), which was not kept, is to be. */
  admits(hash: number): boolean {
    this.#asked += 1;
    if (this.#asked >= WINDOW) {
      this.#asked /= 2;
      this.#repeated /= 2;
    }
    if (this.#asked < LEAST || this.#repeated * RARE >= this.#asked) return true;
    this.#remembered ??= new Uint32Array(PLACES);
    const place = hash % PLACES;
    if (this.#remembered[place] === hash) {
      this.#repeated += 1;
      return true;
    }
    this.#remembered[place] = hash;
    return false;
  }
}
