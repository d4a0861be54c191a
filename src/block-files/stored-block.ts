import { BlockFilesFault } from "./block-files-fault.ts";
import { isInteger, parseExact } from "./exact-json.ts";
import { readTransaction, type Transaction, versionOf } from "./wire.ts";
import { WireFault } from "./wire-bytes.ts";

export type Json = Readonly<Record<string, unknown>>;

/** One element of a stored block's `transactions`. */
export type StoredTransaction = {
  /** As recorded, `meta.rewards` included; null where the node had none any more. */
  readonly meta: Json | null;
  /** Canonical base64 of `bytes`. */
  readonly base64: string;
  readonly bytes: Uint8Array;
  readonly version: "legacy" | number;
  /** Undefined for a version that this program does not know. */
  readonly wire: Transaction | undefined;
};

const isText = (value: unknown): boolean => typeof value === "string";
const isIntegerOrNull = (value: unknown): boolean => value === null || isInteger(value);

/** The members of every block, and the test of each. */
const MEMBERS: readonly (readonly [string, (value: unknown) => boolean])[] = [
  ["blockHeight", isIntegerOrNull],
  ["blockTime", isIntegerOrNull],
  ["blockhash", isText],
  ["parentSlot", isInteger],
  ["previousBlockhash", isText],
  ["transactions", Array.isArray],
];

/** The whole of a block's file. @throws BlockFilesFault that says what is wrong with it */
export function readStoredBlock(text: string): {
  readonly members: Json;
  readonly transactions: readonly StoredTransaction[];
} {
  const members = readMembers(text);
  return { members, transactions: readStoredTransactions(members) };
}

/** A block's transactions. @throws BlockFilesFault that says what is wrong with which */
export function readStoredTransactions(members: Json): StoredTransaction[] {
  return transactionsOf(members).map((each, index) =>
    within(`transaction ${index}`, () => readStored(each)),
  );
}

/** The first signatures of a block's transactions: 64 bytes each. @throws BlockFilesFault */
export function readSignatures(members: Json): Uint8Array[] {
  return transactionsOf(members).map((each, index) =>
    within(`transaction ${index}`, () => {
      // One byte counts the signatures of whatever fits a packet; 88 characters are 66 bytes.
      const start = Buffer.from(base64Of(each).slice(0, 88), "base64");
      const count = start[0] ?? 0;
      if (count === 0) throw new BlockFilesFault("it has no signature");
      if (count >= 0x80) throw unknownVersion(count - 0x80);
      if (start.length < 65) throw new BlockFilesFault("it ends within its signatures");
      return start.subarray(1, 65);
    }),
  );
}

/** One of a block's transactions; the others may be damaged. @throws BlockFilesFault */
export function readStoredAt(members: Json, index: number): StoredTransaction {
  return within(`transaction ${index}`, () => readStored(transactionsOf(members)[index]));
}

/** As long as nobody writes such transactions, nothing is known but that they are there. */
export const unknownVersion = (version: "legacy" | number): BlockFilesFault =>
  new BlockFilesFault(`transactions of version ${version} are not known`);

/** The members of a block's file: getBlock's result at base64, full, rewards, version 255. @throws BlockFilesFault */
export function readMembers(text: string): Json {
  let block: unknown;
  try {
    block = parseExact(text);
  } catch (error) {
    throw new BlockFilesFault("it is no JSON", { cause: error });
  }
  if (!isObject(block)) throw new BlockFilesFault("it is no JSON object");
  for (const [name, isRight] of MEMBERS) {
    if (!isRight(block[name])) throw new BlockFilesFault(`its ${name} is not what it should be`);
  }
  return block;
}

const transactionsOf = (members: Json): readonly unknown[] =>
  members["transactions"] as readonly unknown[];

function readStored(each: unknown): StoredTransaction {
  const base64 = base64Of(each);
  const bytes = Buffer.from(base64, "base64");
  // Node skips what is no base64, so the way back tells whether anything was.
  if (bytes.toString("base64") !== base64) throw new BlockFilesFault("it is no base64");
  const { meta } = each as { readonly meta: unknown };
  if (meta !== null && !isObject(meta)) throw new BlockFilesFault("its meta is no object");
  const version = versionOf(bytes);
  const isKnown = version === "legacy" || version === 0;
  return { meta, base64, bytes, version, wire: isKnown ? readTransaction(bytes) : undefined };
}

function base64Of(each: unknown): string {
  const pair = isObject(each) ? each["transaction"] : undefined;
  const [base64, encoding] = Array.isArray(pair) ? pair : [];
  if (typeof base64 !== "string" || encoding !== "base64") {
    throw new BlockFilesFault("it is not in the base64 encoding");
  }
  return base64;
}

/** Names the part of a file in which a fault was met. */
export function within<Value>(what: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof BlockFilesFault || error instanceof WireFault)) throw error;
    throw new BlockFilesFault(`${what}: ${error.message}`, { cause: error });
  }
}

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
