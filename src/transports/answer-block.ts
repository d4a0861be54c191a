import { type Piece, wholeBytes } from "../lib/bytes.ts";
import { type Member, memberFinder, scanObject } from "../lib/json-scan.ts";
import { skipSpace } from "../lib/json-value.ts";

/** The member of a result that names the block it belongs to. */
export type BlockMember = "number" | "blockNumber";

/** A member of a result that is one text. */
export type TextMember = "hash" | "transactionHash" | "blockHash";

const FINDERS = {
  number: memberFinder("number"),
  blockNumber: memberFinder("blockNumber"),
  hash: memberFinder("hash"),
  transactionHash: memberFinder("transactionHash"),
  blockHash: memberFinder("blockHash"),
};
/** A quantity of up to 2^53 - 1, with its quotes. */
const QUANTITY = /^"0x([0-9a-fA-F]{1,13})"$/;

const OPEN_BRACKET = 0x5b;
const LETTER_N = 0x6e;

/** Whether a result is null: of JSON's values it alone begins so. */
export function isNull(result: readonly Piece[]): boolean {
  const [first = ""] = result;
  return typeof first === "string" ? first.startsWith("n") : first[0] === LETTER_N;
}

/** The number of the block that a result belongs to; undefined where it names none. */
export function blockNumberIn(result: readonly Piece[], member: BlockMember): number | undefined {
  const text = memberText(result, member);
  const [, digits] = QUANTITY.exec(text ?? "") ?? [];
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
}

/** A hash in a result, of an array in its first element, in lower case; undefined where there is none. */
export function textIn(result: readonly Piece[], member: TextMember): string | undefined {
  return memberText(result, member)?.slice(1, -1).toLowerCase();
}

function memberText(result: readonly Piece[], member: keyof typeof FINDERS): string | undefined {
  const json = wholeBytes(result);
  const start = skipSpace(json, 0);
  const isArray = json[start] === OPEN_BRACKET;
  const found = isArray ? memberOf(json, start + 1, member) : FINDERS[member](json);
  return found && json.toString("latin1", found.valueStart, found.valueEnd);
}

function memberOf(json: Buffer, at: number, name: string): Member | undefined {
  return scanObject(json, at)?.members.findLast(({ key }) => key === name);
}
