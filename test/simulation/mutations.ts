import type { Mutation } from "../support/mutations.ts";

const DROP = "kept.dropAbove(commonAncestor);";
const ANSWERS = "src/networks/answers.ts";
const FORKS = "src/networks/evm/fork-choice.ts";
const VIEW = "src/networks/evm/head-view.ts";
const KEPT = "src/networks/evm/kept-block.ts";

/** Faults that the schedules have to find. */
export const MUTATIONS: readonly Mutation[] = [
  { name: "nothing is dropped", file: ANSWERS, from: DROP, to: "void kept;" },
  {
    ...{ name: "one block too few is dropped", file: ANSWERS, from: DROP },
    to: "kept.dropAbove(commonAncestor + 1);",
  },
  {
    ...{ name: "reorganisations are not counted for calls in the air", file: ANSWERS },
    ...{ from: "this.#epoch += 1;", to: "" },
  },
  {
    ...{ name: "the index drops one block too few", file: "src/cache/block-index.ts" },
    ...{ from: "other > block; other--", to: "other > block + 1; other--" },
  },
  {
    ...{ name: "answers that pass are not dropped", file: "src/cache/memory-cache.ts" },
    ...{ from: "this.#passing.dropAbove(block, this.#remove);", to: "" },
  },
  {
    ...{ name: "the common ancestor that is told is one too high", file: VIEW },
    ...{ from: "commonAncestor: kept, from", to: "commonAncestor: kept + 1, from" },
  },
  {
    ...{ name: "the ancestor of the chosen fork is one too high", file: FORKS },
    from: "if (replaces) kept = Math.min(kept, branch.ancestor);",
    to: "if (replaces) kept = Math.min(kept, branch.ancestor + 1);",
  },
  {
    ...{ name: "an answer of a node that told of nothing is kept", file: KEPT },
    ...{ from: "known !== undefined && chain.hasTold(upstream, block, askedMs);", to: "true;" },
  },
  {
    ...{ name: "hashes are not compared", file: KEPT },
    ...{
      from: "return chain.confirms(upstream, block, shown);",
      to: "return true;",
    },
  },
];
