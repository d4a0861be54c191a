import { memberFinder, scanArray, scanObject } from "../../lib/json-scan.ts";
import { pieces, removals } from "./edit.ts";
import type { Shape } from "./shape.ts";

/** What a block has beside its header. */
const BODY: ReadonlySet<string> = new Set([
  "transactions",
  "uncles",
  "withdrawals",
  "size",
  "totalDifficulty",
]);

const findUncles = memberFinder("uncles");

/** How many uncles a block has, a quantity. Chains that never had any leave the list out. */
export const uncleCount: Shape = (result) => {
  if (scanObject(result) === undefined) return [result];
  const uncles = findUncles(result);
  const count = uncles === undefined ? 0 : (scanArray(result, uncles.valueStart)?.length ?? 0);
  return [Buffer.from(`"0x${count.toString(16)}"`)];
};

/** The header of a block, as geth's eth_getHeaderByNumber has it. */
export const header: Shape = (result) => {
  const block = scanObject(result);
  if (block === undefined) return [result];
  const kept = block.members.filter(({ key }) => !BODY.has(key));
  return pieces(result, removals(block.members, kept));
};
