import type { BlockHeader, TrackedUpstream } from "../tracked-upstream.ts";
import type { HeaderTree } from "./header-tree.ts";
import { type Missing, missingParent } from "./missing-parent.ts";
import type { Standing } from "./standing.ts";

type Parts = {
  readonly tree: HeaderTree;
  readonly standingOf: (upstream: TrackedUpstream) => Standing | undefined;
  /** Something was learnt that may decide which chain is the network's. */
  readonly changed: () => void;
};

/** The questions to be answered before the heads of nodes can join the network's chain. */
export class ForkJoins {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The next question to this upstream before its head can join the chain. */
  missing(upstream: TrackedUpstream): Missing | undefined {
    const standing = this.#parts.standingOf(upstream);
    return standing === undefined ? undefined : missingParent(this.#parts.tree, standing);
  }

  /** Our blocks that show where a node's chain leaves ours, the newer first. */
  landmarks(upstream: TrackedUpstream): readonly number[] {
    const { chain } = this.#parts.tree;
    const tip = this.#parts.standingOf(upstream)?.tip;
    const newest = Math.min((tip?.number ?? 0) - 1, chain.tip?.number ?? -1);
    return newest > chain.oldest ? [newest, chain.oldest] : [chain.oldest];
  }

  /** A header that `missing` asked for. */
  learn(header: BlockHeader): void {
    this.#parts.tree.add(header);
    this.#parts.changed();
  }

  /** The lowest known block of this upstream's fork. */
  lowest(upstream: TrackedUpstream): BlockHeader | undefined {
    const tip = this.#parts.standingOf(upstream)?.tip;
    return tip === undefined ? undefined : this.#parts.tree.lowest(tip);
  }

  /** The upstream's chain has our block `ancestor`; -1: none of ours. */
  joins(upstream: TrackedUpstream, ancestor: number): void {
    const { tree, standingOf, changed } = this.#parts;
    const standing = standingOf(upstream);
    if (standing?.tip === undefined) return;
    const newest = tree.chain.tip?.number ?? -1;
    const lowest = tree.lowest(standing.tip);
    // The node has left its head since, which is no child of ours: its next one will tell.
    if (ancestor >= lowest.number - 1) return;
    standing.join = { lowest: lowest.hash, ancestor, newest };
    changed();
  }
}
