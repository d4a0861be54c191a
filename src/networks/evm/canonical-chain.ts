import type { BlockHeader } from "../tracked-upstream.ts";

/** As many as a node keeps the state of, twice. */
export const KEPT_BLOCKS = 256;

/** The newest blocks of a chain, each the parent of the next. */
export class CanonicalChain {
  readonly #blocks = new Array<BlockHeader | undefined>(KEPT_BLOCKS);
  #tip: BlockHeader | undefined;
  #oldest = 0;

  get tip(): BlockHeader | undefined {
    return this.#tip;
  }

  /** The lowest number that is kept. */
  get oldest(): number {
    return this.#oldest;
  }

  at(number: number): BlockHeader | undefined {
    if (this.#tip === undefined || number < this.#oldest || number > this.#tip.number) {
      return undefined;
    }
    return this.#blocks[number % KEPT_BLOCKS];
  }

  has({ number, hash }: Pick<BlockHeader, "number" | "hash">): boolean {
    return this.at(number)?.hash === hash;
  }

  push(block: BlockHeader): void {
    const tip = this.#tip;
    if (tip === undefined) this.#oldest = block.number;
    else if (block.number !== tip.number + 1 || block.parentHash !== tip.hash) {
      throw new Error(`block ${block.number} is no child of block ${tip.number}`);
    }
    this.#blocks[block.number % KEPT_BLOCKS] = block;
    this.#oldest = Math.max(this.#oldest, block.number - KEPT_BLOCKS + 1);
    this.#tip = block;
  }

  /** Drops what is above `number`, which is kept itself; all where it is not there. */
  truncate(number: number): void {
    this.#tip = this.at(Math.min(number, this.#tip?.number ?? -1));
  }

  /** Forgets what was, and begins with these. */
  restart(blocks: readonly BlockHeader[]): void {
    this.#tip = undefined;
    for (const block of blocks) this.push(block);
  }
}
