import type { HeaderTree } from "./header-tree.ts";
import type { Standing } from "./standing.ts";

/** Parents that are asked for one by one. */
const MAX_PARENTS = 64;
/** A partner's calls are paid for. */
const MAX_PARTNER_PARENTS = 2;

/** The header that would join a node's head to the chain. */
export type Missing =
  /** The block with this hash. */
  | { readonly kind: "parent"; readonly hash: string }
  /** Too many blocks: which of ours the node has says enough. */
  | { readonly kind: "far" };

/** Undefined where nothing is missing, or nothing would help: the head is below the kept blocks. */
export function missingParent(
  tree: HeaderTree,
  { tip, upstream, join }: Standing,
): Missing | undefined {
  const { chain } = tree;
  if (tip === undefined || chain.tip === undefined || tip.number < chain.oldest) return undefined;
  if (tree.branch(tip, join) !== undefined) return undefined;
  const lowest = tree.lowest(tip);
  const most = upstream.role === "partner" ? MAX_PARTNER_PARENTS : MAX_PARENTS;
  const isFar = tip.number - chain.tip.number > most || tip.number - lowest.number >= most;
  if (!isFar && lowest.number > chain.oldest) return { kind: "parent", hash: lowest.parentHash };
  return { kind: "far" };
}
