import type { ScannedObject } from "../../lib/json-scan.ts";
import { scanObject } from "../../lib/json-scan.ts";
import type { Edit } from "./edit.ts";
import { isNull, paddedWord, pieces, replacement, setMembers, textOf } from "./edit.ts";
import type { Shape } from "./shape.ts";

/** The fields that are null while a transaction is pending, by the specification. */
const PLACE_IN_CHAIN: ReadonlyMap<string, string> = new Map([
  ["blockHash", "null"],
  ["blockNumber", "null"],
  ["transactionIndex", "null"],
]);

/** Quotes, `0x` and 64 digits: a longer value needs no padding and is not looked at. */
const WORD_JSON_BYTES = 68;

/**
 * A transaction: its place in the chain is null while it is pending, `r` and `s` are of 32 bytes
 * where the network says `signatures: padded`; everything else is the node's.
 */
export const transaction: Shape = (result, options) => {
  const documented = options.pendingBlock === "documented";
  const padded = options.signatures === "padded";
  const scanned = documented || padded ? scanObject(result) : undefined;
  if (scanned === undefined) return [result];
  const pending =
    options.pending ||
    scanned.members.some((member) => member.key === "blockHash" && isNull(result, member));
  return pieces(
    result,
    transactionEdits(result, scanned, { pending: documented && pending, padded }),
  );
};

/** The edits of one transaction, by itself or among a block's. */
export function transactionEdits(
  json: Buffer,
  scanned: ScannedObject,
  wanted: { readonly pending: boolean; readonly padded: boolean },
): Edit[] {
  const edits = wanted.pending ? setMembers(json, scanned, PLACE_IN_CHAIN) : [];
  if (!wanted.padded) return edits;
  for (const member of scanned.members) {
    if (member.key !== "r" && member.key !== "s") continue;
    if (member.valueEnd - member.valueStart >= WORD_JSON_BYTES) continue;
    const text = paddedWord(textOf(json, member));
    if (text !== undefined) edits.push(replacement(member, text));
  }
  return edits;
}
