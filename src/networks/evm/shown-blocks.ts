import type { CanonicalChain } from "./canonical-chain.ts";

/** A node that makes up blocks must not fill the memory. */
const MOST_SHOWN = 64;
/** The answers did not show the block's hash, or showed different ones. */
const UNKNOWN = "";

/**
 * Blocks that only answers have shown: their numbers count for the head before a node tells of them.
 * Once a node tells the hashes it turns out whether one of them was replaced in the meantime.
 */
export class ShownBlocks {
  readonly #chain: Pick<CanonicalChain, "at" | "oldest">;
  /** By number, of blocks above `#hashed`. */
  readonly #hashes = new Map<number, string>();
  /** The newest block, up to the head, whose hash was known last. */
  #hashed = -1;

  constructor(chain: Pick<CanonicalChain, "at" | "oldest">) {
    this.#chain = chain;
  }

  /** A block up to the head. Returns whether it may be the one that is known, or was shown before. */
  show(number: number, hash = UNKNOWN): boolean {
    const known = this.#chain.at(number)?.hash;
    if (known !== undefined) return hash === UNKNOWN || hash === known;
    if (number <= this.#hashed) return true;
    const before = this.#hashes.get(number);
    if (before === undefined && this.#hashes.size < MOST_SHOWN) this.#hashes.set(number, hash);
    if (before === undefined || before === hash) return true;
    this.#hashes.set(number, UNKNOWN);
    return false;
  }

  /** In a reorganisation: what was shown may be of the blocks that were replaced. */
  clear(): void {
    this.#hashes.clear();
  }

  /**
   * The hashes up to `hashed` are known now; `from` is the head before that. Returns the block above
   * which a block may have been replaced that an answer had shown; Infinity: none was.
   */
  settle(from: number, hashed: number): number {
    const before = this.#hashed;
    const top = Math.min(from, hashed);
    this.#hashed = hashed;
    if (top <= before) return Number.POSITIVE_INFINITY;
    const isSame = this.#isSame(before, top);
    for (const number of this.#hashes.keys()) if (number <= top) this.#hashes.delete(number);
    return isSame ? Number.POSITIVE_INFINITY : before;
  }

  /** A block that is the one which was shown has the parents that it had. */
  #isSame(before: number, top: number): boolean {
    let isProven = false;
    for (let number = top; number > Math.max(before, this.#chain.oldest - 1); number -= 1) {
      const shown = this.#hashes.get(number);
      const isShown = shown !== undefined && shown === this.#chain.at(number)?.hash;
      if (!isShown && (shown !== undefined || !isProven)) return false;
      isProven ||= isShown;
    }
    return true;
  }
}
