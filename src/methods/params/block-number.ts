import type { JsonValue } from "../../jsonrpc/value.ts";
import type { Param } from "../definition.ts";
import { isCanonicalQuantity, isHex, numberFault } from "./decode.ts";
import { ParamFault } from "./param-fault.ts";

const TAGS: ReadonlySet<string> = new Set(["latest", "earliest", "pending", "safe", "finalized"]);

/** rpc.BlockNumber: a number or one of the five tags; what is no string is refused as Go does. */
export function readBlockNumber(value: JsonValue): string {
  if (typeof value !== "string") throw new ParamFault("hex string without 0x prefix");
  return readNumberOrTag(value, "block number larger than int64");
}

/** The text as a tag or a number up to 2^63 - 1; `tooHigh` is the fault of one above. */
export function readNumberOrTag(text: string, tooHigh: string): string {
  if (isCanonicalQuantity(text)) return text;
  // A number is never a tag, and most are numbers.
  if (text.charCodeAt(0) !== 0x30 && TAGS.has(text)) return text;
  const fault = numberFault(text);
  if (fault !== undefined) throw new ParamFault(fault);
  // Go's strconv reads digit by digit: of two faults the first one counts.
  if (!isHex(text.slice(0, 19))) throw new ParamFault("invalid hex string");
  if (text.length > 18) throw new ParamFault("hex number > 64 bits");
  if (text.length === 18 && text.charAt(2) > "7") throw new ParamFault(tooHigh);
  return text.toLowerCase();
}

/** The block of a look-up by number. */
export const blockNumber: Param = Object.freeze({
  name: "block",
  want: 'a block number such as "0x1b4", or latest, earliest, pending, safe or finalized',
  role: "block",
  required: true,
  example: "latest",
  check: readBlockNumber,
});
