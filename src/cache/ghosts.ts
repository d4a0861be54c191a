const SLOTS = 4;
const BYTES_PER_SLOT = 8;

/**
 * Hashes of keys that were turned away or evicted unused, the oldest forgotten first: who of them
 * is asked for again is worth keeping. A table of fixed size; a hash that two keys share costs a
 * place in the cache at most.
 */
export class Ghosts {
  readonly #hashes: Int32Array;
  readonly #times: Int32Array;
  readonly #mask: number;
  #now = 0;

  constructor(maxBytes: number) {
    const rows = 2 ** Math.max(2, Math.floor(Math.log2(maxBytes / BYTES_PER_SLOT / SLOTS)));
    this.#hashes = new Int32Array(rows * SLOTS);
    this.#times = new Int32Array(rows * SLOTS);
    this.#mask = rows - 1;
  }

  get bytes(): number {
    return this.#hashes.byteLength + this.#times.byteLength;
  }

  add(hash: number): void {
    this.#now = (this.#now + 1) | 0;
    const first = (hash & this.#mask) * SLOTS;
    let place = first;
    let greatestAge = -1;
    for (let slot = first; slot < first + SLOTS; slot++) {
      if (this.#hashes[slot] === hash || this.#hashes[slot] === 0) {
        place = slot;
        break;
      }
      const age = this.#age(slot);
      if (age > greatestAge) {
        greatestAge = age;
        place = slot;
      }
    }
    this.#hashes[place] = hash;
    this.#times[place] = this.#now;
  }

  /** True once: where it is one of the so many that came last. */
  take(hash: number, last: number): boolean {
    const first = (hash & this.#mask) * SLOTS;
    for (let slot = first; slot < first + SLOTS; slot++) {
      if (this.#hashes[slot] !== hash) continue;
      this.#hashes[slot] = 0;
      return this.#age(slot) < last;
    }
    return false;
  }

  #age(slot: number): number {
    return (this.#now - (this.#times[slot] ?? 0)) >>> 0;
  }
}
