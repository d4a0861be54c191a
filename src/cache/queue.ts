import { CLASSES, type Entry } from "./entry.ts";

/** First in, first out, linked through its entries, so that any of them can leave at once. */
class Lane {
  #oldest: Entry | undefined;
  #newest: Entry | undefined;

  get oldest(): Entry | undefined {
    return this.#oldest;
  }

  push(entry: Entry): void {
    entry.older = this.#newest;
    if (this.#newest === undefined) this.#oldest = entry;
    else this.#newest.newer = entry;
    this.#newest = entry;
  }

  remove(entry: Entry): void {
    const { older, newer } = entry;
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
    entry.older = undefined;
    entry.newer = undefined;
  }
}

/**
 * First in, first out among equals; what takes more bytes for each credit is due the sooner, in
 * proportion (greedy dual, with one lane for each power of two, as CAMP has it).
 */
export class Queue {
  readonly #lanes = Array.from({ length: CLASSES }, () => new Lane());
  /** The time of the last look. */
  #clock = 0;
  #bytes = 0;

  /** The bytes of all entries together. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The one that is due first. */
  get first(): Entry | undefined {
    let first: Entry | undefined;
    for (const { oldest } of this.#lanes) {
      if (oldest !== undefined && (first === undefined || oldest.due < first.due)) first = oldest;
    }
    if (first !== undefined) this.#clock = first.due;
    return first;
  }

  push(entry: Entry): void {
    entry.queue = this;
    entry.due = this.#clock + 2 ** -entry.weightClass;
    this.#lanes[entry.weightClass]?.push(entry);
    this.#bytes += entry.bytes;
  }

  remove(entry: Entry): void {
    entry.queue = undefined;
    this.#lanes[entry.weightClass]?.remove(entry);
    this.#bytes -= entry.bytes;
  }
}
