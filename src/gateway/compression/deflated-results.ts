import type { Deflated } from "./gzip-splice.ts";

/** Deflated bytes that are kept, in addition to the cache's own bound. */
const MOST_BYTES = 32 * 1024 * 1024;
/** The part of it for what was used once: most of that never comes again. */
const PART_FOR_NEW = 1 / 8;

type Listener = (deflated: Deflated | undefined) => void;

/** A result that was asked for; `waiting` while it is being deflated. */
type Known = { deflated: Deflated | undefined; waiting: Listener[] | undefined; uses: number };

/**
 * Large results, deflated: those that were used again, the most recently used ones up to a sum of
 * bytes, and in a small part of it the latest others. A result is known by its buffer: one that
 * nobody holds any more is never found again.
 */
export class DeflatedResults {
  readonly #known = new WeakMap<Buffer, Known>();
  readonly #new: Shelf;
  readonly #usedAgain: Shelf;

  constructor(mostBytes = MOST_BYTES) {
    this.#new = new Shelf(mostBytes * PART_FOR_NEW);
    this.#usedAgain = new Shelf(mostBytes * (1 - PART_FOR_NEW));
  }

  /** Sum of what is held, bytes. */
  get bytes(): number {
    return this.#new.bytes + this.#usedAgain.bytes;
  }

  /** Notes a use; whether it is not the first: what comes twice is likely to come a third time. */
  isUsedAgain(result: Buffer): boolean {
    const known = this.#knownOf(result);
    known.uses += 1;
    return known.uses > 1;
  }

  /**
   * The deflated result: held, or made by `make` once for all who ask meanwhile; undefined where
   * that failed. `done` is called once, at once where it is held.
   */
  take(result: Buffer, make: (done: Listener) => void, done: Listener): void {
    const known = this.#knownOf(result);
    if (known.deflated !== undefined) {
      this.#place(known);
      done(known.deflated);
      return;
    }
    if (known.waiting !== undefined) {
      known.waiting.push(done);
      return;
    }
    const waiting = [done];
    known.waiting = waiting;
    make((deflated) => {
      known.waiting = undefined;
      known.deflated = deflated;
      if (deflated !== undefined) this.#place(known);
      for (const listener of waiting) listener(deflated);
    });
  }

  #knownOf(result: Buffer): Known {
    const known = this.#known.get(result);
    if (known !== undefined) return known;
    const found = { deflated: undefined, waiting: undefined, uses: 0 };
    this.#known.set(result, found);
    return found;
  }

  /** As the most recently used one of its kind. */
  #place(known: Known): void {
    this.#new.remove(known);
    this.#usedAgain.remove(known);
    const shelf = known.uses > 1 ? this.#usedAgain : this.#new;
    shelf.add(known);
  }
}

/** Beyond a sum of bytes the ones that came first are let go. */
class Shelf {
  bytes = 0;
  readonly #held = new Set<Known>();
  readonly #mostBytes: number;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  add(known: Known): void {
    this.#held.add(known);
    this.bytes += sizeOf(known);
    for (const oldest of this.#held) {
      if (this.bytes <= this.#mostBytes) return;
      this.remove(oldest);
      oldest.deflated = undefined;
    }
  }

  remove(known: Known): void {
    if (this.#held.delete(known)) this.bytes -= sizeOf(known);
  }
}

function sizeOf({ deflated }: Known): number {
  return deflated?.bytes.length ?? 0;
}
