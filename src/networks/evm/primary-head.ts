import type { CanonicalChain } from "./canonical-chain.ts";
import { confirmedBlock, type Standing } from "./standing.ts";

/** `hash` is unknown while only an answer has shown that the block exists. */
export type Head = {
  readonly number: number;
  readonly hash: string | undefined;
  /** The gas limit of the newest known block up to the head. */
  readonly gasLimit: bigint;
};

/** The head at this number: `before` where nothing changed; undefined where nothing is known. */
export function headAt(
  chain: CanonicalChain,
  number: number,
  before: Head | undefined,
): Head | undefined {
  const block = chain.at(number);
  const known = block ?? chain.tip;
  if (number < 0 || known === undefined) return before;
  if (before?.number === number && before.hash === block?.hash) return before;
  return { number, hash: block?.hash, gasLimit: BigInt(known.gasLimit) };
}

/**
 * The head as primaries alone have shown it, for plans that no partner answers. While no primary is
 * heard it stays as it is, whatever partners say.
 */
export class PrimaryHead {
  #head: Head | undefined;
  #newest = -1;
  /** Blocks above were replaced since a primary was last heard. */
  #kept = Number.POSITIVE_INFINITY;

  get head(): Head | undefined {
    return this.#head;
  }

  /** The highest block of the network's chain that was a primary's head; -1: none. */
  get newest(): number {
    return this.#newest;
  }

  /** Blocks of the chain above `kept` were replaced, whoever decided that. */
  replaced(kept: number): void {
    this.#kept = Math.min(this.#kept, kept);
    this.#newest = Math.min(this.#newest, kept);
  }

  /** Follows those who are heard, where they are primaries. Returns whether it moved. */
  follow(chain: CanonicalChain, heard: readonly Standing[], confirmations: number): boolean {
    if (heard[0]?.upstream.role !== "primary") return false;
    let top = -1;
    for (const { tip } of heard) if (tip && chain.has(tip)) top = Math.max(top, tip.number);
    this.#newest = Math.max(this.#newest, top);
    const before = this.#head?.number ?? -1;
    const least = Math.max(confirmedBlock(heard, confirmations), Math.min(before, this.#kept));
    // On a chain of partners that has nothing of the old one no primary has shown a head yet.
    const to = least < 0 && before >= 0 ? top : least;
    if (to < 0) return false;
    this.#kept = Number.POSITIVE_INFINITY;
    const head = headAt(chain, to, this.#head);
    const hasMoved = head?.number !== before && head !== undefined;
    this.#head = head;
    return hasMoved;
  }
}
