import type { Member, ScannedObject } from "../../lib/json-scan.ts";
import { memberFinder, scanArray, scanObject } from "../../lib/json-scan.ts";
import { skipSpace } from "../../lib/json-value.ts";
import type { Edit } from "./edit.ts";
import { isNull, pieces, setMembers, textOf } from "./edit.ts";
import type { Shape } from "./shape.ts";
import { transactionEdits } from "./transaction.ts";

const OPEN_BRACE = 0x7b;

/** The fields that are null on the pending block by the specification. */
const PENDING: ReadonlyMap<string, string> = new Map([
  ["hash", "null"],
  ["nonce", "null"],
  ["logsBloom", "null"],
  ["number", "null"],
]);

const findTotalDifficulty = memberFinder("totalDifficulty");
const findDifficulty = memberFinder("difficulty");

/**
 * A block: `totalDifficulty` always there; the pending block's hash, nonce, logsBloom and number
 * null, and its transactions' place in the chain; `r` and `s` padded where the network says so.
 * A mined block of a network that leaves signatures alone is not walked, only searched.
 */
export const block: Shape = (result, options) => {
  const start = skipSpace(result, 0);
  if (result[start] !== OPEN_BRACE) return [result];
  const pending = options.pending && options.pendingBlock === "documented";
  const padded = options.signatures === "padded";
  const given = findTotalDifficulty(result);
  const total = totalDifficulty(result, given, options.finalTotalDifficulty);
  if (!pending && !padded) {
    const members = given === undefined ? [] : [given];
    return pieces(result, total === undefined ? [] : setMembers(result, { start, members }, total));
  }
  const scanned = scanObject(result);
  if (scanned === undefined) return [result];
  const wanted = new Map([...(total ?? []), ...(pending ? PENDING : [])]);
  return pieces(result, [
    ...setMembers(result, scanned, wanted),
    ...fullTransactionEdits(result, scanned, { pending, padded }),
  ]);
};

/** The value of `totalDifficulty`; undefined where the node's own value stands. */
function totalDifficulty(
  json: Buffer,
  given: Member | undefined,
  final: string | undefined,
): ReadonlyMap<string, string> | undefined {
  if (given !== undefined && !isNull(json, given)) return undefined;
  const difficulty = final === undefined ? undefined : findDifficulty(json);
  const proofOfStake = difficulty !== undefined && textOf(json, difficulty) === '"0x0"';
  return new Map([["totalDifficulty", proofOfStake ? JSON.stringify(final) : "null"]]);
}

/** The edits of a block's transactions where they are objects; hashes need none. */
function fullTransactionEdits(
  json: Buffer,
  scanned: ScannedObject,
  wanted: { readonly pending: boolean; readonly padded: boolean },
): Edit[] {
  const member = scanned.members.findLast(({ key }) => key === "transactions");
  const entries = member === undefined ? undefined : scanArray(json, member.valueStart);
  return (entries ?? []).flatMap((entry) => {
    const full = scanObject(json, entry.start);
    return full === undefined ? [] : transactionEdits(json, full, wanted);
  });
}
