import { blockCursor, told } from "../../methods/cursor.ts";
import { readHead } from "../../transports/ws-frame.ts";
import { isBloom } from "../bloom.ts";
import type { FindBlock } from "../chain/block-story.ts";
import type { ToldBlock } from "../chain/told-block.ts";
import type { NodeQuestions } from "../node-questions.ts";

/** Members of a block that are none of a header: go-ethereum tells of a new head without them. */
const OF_BLOCKS_ALONE: ReadonlySet<string> = new Set([
  ...["transactions", "uncles", "withdrawals", "size", "totalDifficulty"],
]);

/** Asks for a block by its hash: what joins blocks is no node's word. */
export const findBlock =
  (nodes: NodeQuestions): FindBlock =>
  ({ hash, number }, done) =>
    nodes.ask(
      { method: "eth_getBlockByHash", params: `["${hash}",false]`, block: number },
      (result) => blockOf(result, hash),
      done,
    );

/** The block that was asked for by its hash; undefined where the answer is none, or another one. */
function blockOf(json: string, hash: string): ToldBlock | undefined {
  const block = readToldBlock(json);
  return block?.hash === hash ? block : undefined;
}

/** A block out of a node's answer, JSON text in UTF-8 bytes; undefined for null, and for what lacks something that is needed. */
function readToldBlock(json: string): ToldBlock | undefined {
  let block: unknown;
  try {
    block = JSON.parse(json);
  } catch {
    return undefined;
  }
  const head = readHead(block);
  if (head === undefined) return undefined;
  const members = Object.entries(block as object).filter(([name]) => !OF_BLOCKS_ALONE.has(name));
  const { logsBloom: bloom } = block as { readonly logsBloom?: unknown };
  if (!isBloom(bloom)) return undefined;
  const { number, hash, parentHash } = head;
  const cursor = blockCursor(number, hash);
  const header = JSON.stringify(Object.fromEntries(members));
  return {
    ...{ number, hash, parentNumber: number - 1, parentHash, bloom, cursor },
    told: told(header, cursor),
  };
}
