import { memberFinder } from "../lib/json-scan.ts";

/** The member of a result that names the block it belongs to. */
export type BlockMember = "number" | "blockNumber";

const FINDERS = { number: memberFinder("number"), blockNumber: memberFinder("blockNumber") };
/** A quantity of up to 2^53 - 1, with its quotes. */
const QUANTITY = /^"0x([0-9a-fA-F]{1,13})"$/;

/** The number of the block that a result belongs to; undefined where it names none. */
export function blockNumberIn(result: readonly Buffer[], member: BlockMember): number | undefined {
  const [only] = result;
  const json = result.length === 1 && only !== undefined ? only : Buffer.concat(result);
  const found = FINDERS[member](json);
  if (found === undefined) return undefined;
  const [, digits] = QUANTITY.exec(json.toString("latin1", found.valueStart, found.valueEnd)) ?? [];
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
}
