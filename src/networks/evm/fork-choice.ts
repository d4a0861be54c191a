import type { MonotonicMs } from "../../lib/clock.ts";
import type { HeaderTree } from "./header-tree.ts";
import { highest, inOrder, isBehind, present, type Standing } from "./standing.ts";

/** How much deeper no fork is looked for: as many parents are asked for one by one. */
const DEEPEST_FORK = 64;
const MOST_STRAYS = 16;
/** One choice of a chain may make another one possible; so many follow at most. */
export const MOST_PASSES = 3;

/**
 * Chooses the chain among those that are heard. Returns the block above which the chain was
 * replaced; Infinity: nothing was.
 */
export function chooseAmong(
  tree: HeaderTree,
  standings: readonly Standing[],
  { heard, now }: { readonly heard: readonly Standing[]; readonly now: MonotonicMs },
): number {
  let kept = Number.POSITIVE_INFINITY;
  // On the new chain others may be joined that were not before.
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    joinHeads(tree, standings);
    const replaced = chooseChain(tree, inOrder(heard), highest(present(standings, now)));
    kept = Math.min(kept, replaced);
    if (replaced === Number.POSITIVE_INFINITY) break;
  }
  return kept;
}

/**
 * Moves the chain to where the nodes say it is. Whoever comes first in `order` decides: a later one
 * may only add to the chain, or replace what none before it has. One that is far behind `top` never
 * replaces anything. Returns the block above which the chain was replaced; Infinity: nothing was.
 */
function chooseChain(tree: HeaderTree, order: readonly Standing[], top: number): number {
  let kept = Number.POSITIVE_INFINITY;
  let decided = -1;
  for (const { tip, join, upstream } of order) {
    if (tip === undefined) continue;
    const branch = tree.branch(tip, join);
    const end = tree.chain.tip?.number ?? -1;
    if (branch === undefined) {
      // It is being found out what its chain is: until then the others only extend ours.
      if (tip.number >= tree.chain.oldest) decided = Math.max(decided, end);
      continue;
    }
    if (branch.blocks.length > 0) {
      const replaces = branch.ancestor < end;
      if (branch.ancestor < decided || (replaces && isBehind(upstream, top))) continue;
      if (replaces) kept = Math.min(kept, branch.ancestor);
      tree.adopt(branch);
    }
    decided = Math.max(decided, tip.number);
  }
  return kept;
}

/** Finds out whose heads are joined to the chain, by what is known of them. */
function joinHeads(tree: HeaderTree, standings: readonly Standing[]): void {
  for (const standing of standings) {
    const { tip, join } = standing;
    if (tip !== undefined) standing.wasJoined ||= tree.branch(tip, join) !== undefined;
  }
}

/**
 * A node on the chain may have been on a fork that it left before it was found out where that
 * parted. Returns the last block that both have for sure; Infinity where it was on none.
 */
function strayedAfter({ chain }: HeaderTree, { strays, wasLinked }: Standing): number {
  let after = Number.POSITIVE_INFINITY;
  if (!wasLinked) return after;
  for (const { number, hash } of strays) {
    const own = chain.at(number);
    const isAbove = number > (chain.tip?.number ?? -1);
    if (isAbove || (own !== undefined && own.hash !== hash)) {
      after = Math.min(after, Math.max(number - DEEPEST_FORK, -1));
    }
  }
  return after;
}

/**
 * Marks the nodes whose head is not known to be of the chain. Returns the block above which one of
 * them, whose answers counted until now, has other blocks; Infinity where there is none.
 */
export function markForks(tree: HeaderTree, standings: readonly Standing[]): number {
  let doubted = Number.POSITIVE_INFINITY;
  const end = tree.chain.tip?.number ?? -1;
  for (const standing of standings) {
    const { tip, upstream } = standing;
    if (tip === undefined) continue;
    const branch = tree.branch(tip, standing.join);
    upstream.forkedAfter = Number.POSITIVE_INFINITY;
    if (branch === undefined) {
      // Up to one above the chain's end a block would join the chain if it were of it.
      if (!standing.wasLinked || tip.number <= end + 1) upstream.isForked = true;
      standing.proven = Math.min(standing.proven, upstream.head);
      if (standing.strays.at(-1) !== tip && standing.strays.length < MOST_STRAYS) {
        standing.strays.push(tip);
      }
      continue;
    }
    upstream.isForked = branch.blocks.length > 0 && branch.ancestor < end;
    if (upstream.isForked) {
      upstream.forkedAfter = branch.ancestor;
      // Until its fork parted there, its answers for the blocks above counted.
      if (standing.wasLinked && branch.ancestor < standing.toldAfter) {
        doubted = Math.min(doubted, branch.ancestor);
      }
      standing.toldAfter = Math.min(standing.toldAfter, branch.ancestor);
      continue;
    }
    doubted = Math.min(doubted, strayedAfter(tree, standing));
    standing.strays = [];
    standing.toldAfter = Number.POSITIVE_INFINITY;
    standing.wasLinked = true;
    standing.proven = upstream.head;
  }
  return doubted;
}
