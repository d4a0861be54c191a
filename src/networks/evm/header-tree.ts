import type { BlockHeader } from "../tracked-upstream.ts";
import { CanonicalChain, KEPT_BLOCKS } from "./canonical-chain.ts";

/** Sides of forks too; a node that makes up blocks must not fill the memory. */
const MAX_HEADERS = 4 * KEPT_BLOCKS;
/** Beyond this a block is not taken for the next of the chain without looking twice. */
const NEAR_BLOCKS = 64;

/** How a block joins the chain. */
export type Branch = {
  /** The highest block that both have; -1: none that is known. */
  readonly ancestor: number;
  /** Those after the ancestor, lowest first; none where the block is in the chain. */
  readonly blocks: readonly BlockHeader[];
  /** The lowest of them is the ancestor's child. */
  readonly isWhole: boolean;
};

/** The facts about a branch whose `lowest` known block has no known parent. */
export type Join = {
  readonly lowest: string;
  readonly ancestor: number;
  /** Our newest block then. Where it was the ancestor, newer ones may be too. */
  readonly newest: number;
};

/** All headers that nodes told of lately, and the one chain of them that is the network's. */
export class HeaderTree {
  readonly chain = new CanonicalChain();
  readonly #headers = new Map<string, BlockHeader>();

  add(header: BlockHeader): void {
    if (this.#headers.size >= MAX_HEADERS) this.#prune();
    this.#headers.set(header.hash, header);
  }

  clear(): void {
    this.#headers.clear();
    this.chain.restart([]);
  }

  knows(hash: string): boolean {
    return this.#headers.has(hash);
  }

  /** Whether the block comes as no surprise: of the chain, or soon to be. */
  fits(block: BlockHeader): boolean {
    const { tip } = this.chain;
    if (tip === undefined || this.chain.has(block)) return true;
    const gap = block.number - tip.number;
    return (gap > 1 && gap <= NEAR_BLOCKS) || this.knows(block.parentHash);
  }

  /** Whether a block is of the chain; undefined where that is not known. */
  isOurs({ number, hash }: BlockHeader): boolean | undefined {
    const own = this.chain.at(number);
    return own === undefined ? undefined : own.hash === hash;
  }

  /** The number of a block of the chain; undefined for any other. */
  numberOf(hash: string): number | undefined {
    const header = this.#headers.get(hash);
    return header !== undefined && this.chain.has(header) ? header.number : undefined;
  }

  /** Undefined where it is not known how `tip` joins the chain. */
  branch(tip: BlockHeader, join?: Join): Branch | undefined {
    if (this.chain.has(tip)) return { ancestor: tip.number, blocks: [], isWhole: true };
    const blocks = this.#line(tip);
    const parent = this.#parent(blocks[0] ?? tip);
    if (parent !== undefined) return { ancestor: parent.number, blocks, isWhole: true };
    const end = this.chain.tip?.number;
    if (end === undefined) return { ancestor: -1, blocks, isWhole: false };
    if (join === undefined || join.lowest !== blocks[0]?.hash) return undefined;
    if (join.ancestor === join.newest && end > join.newest) return undefined;
    return { ancestor: join.ancestor, blocks, isWhole: false };
  }

  /** The lowest block of `tip`'s branch that is known. */
  lowest(tip: BlockHeader): BlockHeader {
    return this.#line(tip)[0] ?? tip;
  }

  /** Makes the branch the end of the chain. */
  adopt({ ancestor, blocks, isWhole }: Branch): void {
    if (!isWhole) {
      this.chain.restart(blocks);
      return;
    }
    this.chain.truncate(ancestor);
    for (const block of blocks) this.chain.push(block);
  }

  /** `tip` and what is known below it, lowest first, down to the chain. */
  #line(tip: BlockHeader): BlockHeader[] {
    const line = [tip];
    for (let lowest = tip; ; ) {
      const parent = this.#parent(lowest);
      if (parent === undefined || this.chain.has(parent)) return line.reverse();
      line.push(parent);
      lowest = parent;
    }
  }

  /** A header whose number does not fit its child's is no parent, whatever a node says. */
  #parent({ parentHash, number }: BlockHeader): BlockHeader | undefined {
    const parent = this.#headers.get(parentHash);
    return parent?.number === number - 1 ? parent : undefined;
  }

  #prune(): void {
    const oldest = this.chain.oldest;
    for (const [hash, header] of this.#headers) {
      if (header.number < oldest) this.#headers.delete(hash);
    }
    if (this.#headers.size < MAX_HEADERS / 2) return;
    for (const [hash, header] of this.#headers) {
      if (!this.chain.has(header)) this.#headers.delete(hash);
    }
  }
}
