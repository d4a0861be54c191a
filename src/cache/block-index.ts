import type { Entry } from "./entry.ts";

/** Entries by their block: to find those to drop costs about as much as to drop them. */
export class BlockIndex {
  /** The entry of a block that came last; the others of it are linked to it. */
  readonly #newest = new Map<number, Entry>();
  /** At least the highest block of an entry. */
  #highest = -1;

  add(entry: Entry): void {
    const { block } = entry;
    if (block > this.#highest) this.#highest = block;
    const next = this.#newest.get(block);
    if (next !== undefined) next.previous = entry;
    entry.next = next;
    entry.index = this;
    this.#newest.set(block, entry);
  }

  remove(entry: Entry): void {
    const { previous, next, block } = entry;
    if (next !== undefined) next.previous = previous;
    if (previous !== undefined) previous.next = next;
    else if (next !== undefined) this.#newest.set(block, next);
    else this.#newest.delete(block);
    entry.index = undefined;
    entry.previous = undefined;
    entry.next = undefined;
  }

  /** `drop` is called with each entry of a block above this one, and must remove it. */
  dropAbove(block: number, drop: (entry: Entry) => void): void {
    // From the head down; where that is a long way, over the blocks that there are.
    if (this.#highest - block > this.#newest.size) {
      for (const other of this.#newest.keys()) if (other > block) this.#drop(other, drop);
    } else {
      for (let other = this.#highest; other > block; other--) this.#drop(other, drop);
    }
    this.#highest = Math.min(this.#highest, block);
  }

  /** The same for blocks below this one; every block that there is is looked at. */
  dropBelow(block: number, drop: (entry: Entry) => void): void {
    for (const other of this.#newest.keys()) if (other < block) this.#drop(other, drop);
  }

  #drop(block: number, drop: (entry: Entry) => void): void {
    let entry = this.#newest.get(block);
    while (entry !== undefined) {
      const { next } = entry;
      drop(entry);
      entry = next;
    }
  }
}
