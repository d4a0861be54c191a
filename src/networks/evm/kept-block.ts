import type { Piece } from "../../lib/bytes.ts";
import { blockNumberIn, isNull, textIn } from "../../transports/answer-block.ts";
import type { ResultOutcome } from "../answers.ts";
import type { Plan } from "../network.ts";
import type { ChainWatch } from "./chain-watch.ts";

type Chain = Pick<ChainWatch, "newestHashed" | "numberOf" | "hashOf" | "hasTold" | "confirms">;

/** Above this depth a node may have other blocks, or none, and nothing in some answers shows it. */
const SETTLED_BLOCKS = 32;

/**
 * The block with which an answer is kept; undefined where it is not. A block, transaction or receipt
 * has to show that it is the one that was asked for, and of the network's chain where that is known.
 * Nothing is kept of a block whose hash no node has told: nobody would notice that it was replaced.
 */
export function keptBlock(plan: Plan, answer: ResultOutcome, chain: Chain): number | undefined {
  const { definition, named } = plan;
  const { answerBlock, lookup } = definition;
  const { result } = answer;
  const newest = chain.newestHashed;
  const isSettled = newest - named >= SETTLED_BLOCKS;
  const { filter } = definition.places;
  if (lookup !== undefined && isNull(result)) {
    // A block that is there keeps what it has: what is not in it never will be.
    return lookup === "part" && named >= 0 && isSettled ? named : undefined;
  }
  if (filter >= 0 && !isSettled) return undefined;
  const block =
    answerBlock === undefined ? namedBlock(plan, chain) : blockNumberIn(result, answerBlock);
  if (block === undefined || block > newest || !isAsked(plan, result)) return undefined;
  return isOfChain(plan, answer, { block, newest, chain }) ? block : undefined;
}

/**
 * Whether an answer is kept for the next few blocks only. Clients that asked for the state by a tag
 * have gone on by then. An answer that shows no hash may be of a fork which its node left again
 * before anybody was told of it: as long as that can be, it is asked for again.
 */
export function isPassing({ definition, tagged, named, head }: Plan): boolean {
  if (definition.state && tagged !== undefined) return true;
  return definition.shows === undefined && named >= 0 && head - named < SETTLED_BLOCKS;
}

/** By its number, or by its hash where the chain knows that. */
function namedBlock(plan: Plan, chain: Chain): number | undefined {
  const hash = namedHash(plan);
  if (hash === undefined) return plan.named >= 0 ? plan.named : undefined;
  const number = chain.numberOf(hash);
  const own = number === undefined ? undefined : chain.hashOf(number);
  return own === undefined || own === hash ? number : undefined;
}

/** In lower case; undefined where the params name their block in another way. */
function namedHash({ definition, args }: Plan): string | undefined {
  const { block, blockHash } = definition.places;
  const place = Math.max(block, blockHash);
  const reference = place < 0 ? undefined : args[place];
  const isHash = reference instanceof Map || blockHash >= 0;
  const hash = reference instanceof Map ? reference.get("blockHash") : reference;
  return isHash && typeof hash === "string" ? hash.toLowerCase() : undefined;
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

type Place = { readonly block: number; readonly newest: number; readonly chain: Chain };

/** A node may be on another fork than is known yet. */
function isOfChain(
  plan: Plan,
  { result, upstream, askedMs }: ResultOutcome,
  { block, newest, chain }: Place,
): boolean {
  const { shows } = plan.definition;
  const known = chain.hashOf(block);
  if (known !== undefined) {
    // Nodes find blocks of other forks by their hash, too: that says nothing of the node.
    const asked = namedHash(plan);
    if (asked !== undefined) return asked === known;
    const shown = shows && textIn(result, shows);
    if (shown !== undefined) return chain.confirms(upstream, block, shown);
  }
  // Nothing can be compared, so that the node's own head has to do.
  if (newest - block >= SETTLED_BLOCKS) return !upstream.isForked;
  // Below the first block that a node told of nobody would notice that the answer was of a fork.
  // The receipts of a block without transactions show no hash, as others of their method do.
  return shows === undefined && known !== undefined && chain.hasTold(upstream, block, askedMs);
}
