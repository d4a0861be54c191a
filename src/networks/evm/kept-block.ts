import type { Piece } from "../../lib/bytes.ts";
import type { Definition } from "../../methods/definition.ts";
import { blockNumberIn, isNull, textIn } from "../../upstreams/answer-block.ts";
import type { Plan } from "../network.ts";
import { blockPlaces } from "./block-places.ts";
import type { ChainWatch } from "./chain-watch.ts";

type Chain = Pick<ChainWatch, "head" | "numberOf" | "hashOf">;

/** A node that lost its newest blocks leaves their logs out, and nothing in the answer shows it. */
const SETTLED_BLOCKS = 32;

/**
 * The block with which an answer is kept; undefined where it is not. A block, transaction or receipt
 * has to show that it is the one that was asked for, and of the network's chain where that is known.
 */
export function keptBlock(plan: Plan, result: readonly Piece[], chain: Chain): number | undefined {
  const { definition, named } = plan;
  const { answerBlock, lookup } = definition;
  if (lookup !== undefined && isNull(result)) {
    // A block that is there keeps what it has: what is not in it never will be.
    return lookup === "part" && named >= 0 ? named : undefined;
  }
  const head = chain.head?.number ?? -1;
  if (blockPlaces(definition).filter >= 0 && head - named < SETTLED_BLOCKS) return undefined;
  const block =
    answerBlock === undefined ? namedBlock(plan, chain) : blockNumberIn(result, answerBlock);
  if (block === undefined || block > head) return undefined;
  const isRight = isAsked(plan, result) && isOfChain(definition, { block, result, chain });
  return isRight ? block : undefined;
}

/** By its number, or by its hash where the chain knows that. */
function namedBlock({ definition, args, named }: Plan, chain: Chain): number | undefined {
  if (named >= 0) return named;
  const { block, blockHash } = blockPlaces(definition);
  const reference = block >= 0 ? args[block] : args[blockHash];
  const hash = reference instanceof Map ? reference.get("blockHash") : reference;
  return typeof hash === "string" ? chain.numberOf(hash.toLowerCase()) : undefined;
}

function isAsked({ definition, args, named }: Plan, result: readonly Piece[]): boolean {
  switch (definition.echoes) {
    case undefined:
      return true;
    case "number":
    case "blockNumber":
      return blockNumberIn(result, definition.echoes) === named;
    default:
      return textIn(result, definition.echoes) === String(args[0]).toLowerCase();
  }
}

/** Only a block itself shows its hash; a node may be on another fork than is known yet. */
function isOfChain(
  { shows }: Definition,
  answer: {
    readonly block: number;
    readonly result: readonly Piece[];
    readonly chain: Chain;
  },
): boolean {
  const { block, result, chain } = answer;
  const own = shows === undefined ? undefined : chain.hashOf(block);
  return shows === undefined || own === undefined || textIn(result, shows) === own;
}
