import type { FindBlock } from "../chain/block-story.ts";
import type { ToldBlock } from "../chain/told-block.ts";
import type { NodeQuestions } from "../node-questions.ts";
import { tail } from "./slot-topics.ts";

/** Nothing but what joins a block to its parent. The gateway's own choice of what is confirmed. */
const CONFIG =
  '{"commitment":"confirmed","encoding":"base64","maxSupportedTransactionVersion":255,' +
  '"rewards":false,"transactionDetails":"none"}';

export type FindSlotBlockParts = {
  readonly nodes: NodeQuestions;
  /** The finalized slot as it is now. */
  readonly root: () => number;
};

/** Asks for the block of a slot; an empty hash takes whichever it is. */
export const findSlotBlock =
  ({ nodes, root }: FindSlotBlockParts): FindBlock =>
  ({ number, hash }, done) =>
    nodes.ask(
      { method: "getBlock", params: `[${number},${CONFIG}]`, block: number },
      (result) => {
        const block = blockOf(result, { slot: number, root: root() });
        return hash === "" || block?.hash === hash ? block : undefined;
      },
      done,
    );

function blockOf(
  json: string,
  { slot, root }: { readonly slot: number; readonly root: number },
): ToldBlock | undefined {
  const block = readObject(json);
  if (block === undefined) return undefined;
  const { blockhash: hash, parentSlot, previousBlockhash: parentHash } = block;
  if (typeof hash !== "string" || typeof parentHash !== "string") return undefined;
  if (typeof parentSlot !== "number" || !(parentSlot < slot)) return undefined;
  return {
    ...{ number: slot, hash, parentNumber: parentSlot, parentHash },
    ...{ bloom: "", cursor: String(slot) },
    told: tail(`{"parent":${parentSlot},"root":${root},"slot":${slot}}`),
  };
}

/** Undefined for what is no JSON object. */
export function readObject(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
