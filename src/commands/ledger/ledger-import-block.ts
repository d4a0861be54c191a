import { decodeBase58 } from "../../block-files/base58.ts";
import { BlockFilesFault } from "../../block-files/block-files-fault.ts";
import { parseExact } from "../../block-files/exact-json.ts";
import { isObject, type Json, readStoredBlock, within } from "../../block-files/stored-block.ts";
import { encodeTransaction, versionOf } from "../../block-files/wire.ts";

/** The less a block must be changed for a ledger, the earlier it stands. */
const ENCODINGS = ["base64", "base58", "json"] as const;
type Encoding = (typeof ENCODINGS)[number];

export type FoundBlock = {
  /** Lower is better; equal ones differ by their transactions. */
  readonly rank: number;
  readonly transactions: number;
  /** As a ledger keeps it. @throws BlockFilesFault, WireFault */
  readonly text: () => string;
};

/** How nodes say that a slot has no block. */
const SKIPPED_CODES: readonly unknown[] = [-32007, -32009];

/**
 * The block in a file: getBlock's result or a whole response; undefined where it says that the slot
 * has no block.
 * @throws BlockFilesFault where a ledger cannot be filled with it
 */
export function readBlockFile(text: string): FoundBlock | undefined {
  const block = resultOf(parse(text));
  if (block === undefined) return undefined;
  const transactions = block["transactions"];
  if (!Array.isArray(transactions)) {
    throw new BlockFilesFault(
      "it has no transactions, which only the detail level full gives whole",
    );
  }
  const encodings = transactions.map((each, index) =>
    within(`transaction ${index}`, () => encodingOf(each)),
  );
  const rank = Math.max(0, ...encodings.map((encoding) => ENCODINGS.indexOf(encoding)));
  const encoded = () => JSON.stringify({ ...block, transactions: transactions.map(toStored) });
  return { rank, transactions: transactions.length, text: encoded };
}

/** @throws BlockFilesFault where a ledger could not serve the block of this slot from the text */
export function requireBlock(slot: number, text: string): void {
  const { members } = readStoredBlock(text);
  const parent = members["parentSlot"];
  // The first block of a chain is its own parent.
  if (typeof parent === "number" && parent < slot + (slot === 0 ? 1 : 0)) return;
  throw new BlockFilesFault("its parentSlot is not below its slot");
}

function parse(text: string): unknown {
  try {
    return parseExact(text);
  } catch (error) {
    throw new BlockFilesFault("it is no JSON", { cause: error });
  }
}

function resultOf(file: unknown): Json | undefined {
  const isResponse = isObject(file) && !("blockhash" in file);
  if (isResponse && isObject(file["error"])) {
    const { code, message } = file["error"];
    if (SKIPPED_CODES.includes(code)) return undefined;
    throw new BlockFilesFault(`it holds an error of a node: ${code} ${message}`);
  }
  const block = isResponse && "result" in file ? file["result"] : file;
  if (block === null) return undefined;
  if (!isObject(block) || !("blockhash" in block)) throw new BlockFilesFault("it is no block");
  return block;
}

function encodingOf(each: unknown): Encoding {
  const transaction = isObject(each) ? each["transaction"] : undefined;
  // Without its encoding beside it, it is base58: a node's oldest form.
  const [, named = "base58"] = [transaction].flat();
  if (typeof transaction === "string" || Array.isArray(transaction)) {
    const encoding = ENCODINGS.find((known) => known === named);
    if (encoding !== undefined) return encoding;
  }
  if (isObject(transaction) && isCompiled(transaction["message"])) return "json";
  throw new BlockFilesFault(
    "it is not in the encoding base64, base58 or json: jsonParsed and the detail level accounts " +
      "leave out parts of a transaction",
  );
}

function isCompiled(message: unknown): boolean {
  if (!isObject(message)) return false;
  const { header, accountKeys } = message;
  return isObject(header) && Array.isArray(accountKeys) && accountKeys.every(isText);
}

const isText = (value: unknown): value is string => typeof value === "string";

function toStored(each: Json, index: number): Json {
  return within(`transaction ${index}`, () => {
    const bytes = toBytes(each["transaction"]);
    // Absent where the node was asked for legacy transactions alone.
    const version = each["version"] ?? versionOf(bytes);
    const transaction = [Buffer.from(bytes).toString("base64"), "base64"];
    return { ...each, transaction, version };
  });
}

function toBytes(transaction: unknown): Uint8Array {
  const [text, encoding = "base58"] = [transaction].flat();
  if (typeof text !== "string") return encodeTransaction(transaction);
  if (encoding === "base64") return Buffer.from(text, "base64");
  try {
    return decodeBase58(text);
  } catch (error) {
    throw new BlockFilesFault("it is no base58", { cause: error });
  }
}
