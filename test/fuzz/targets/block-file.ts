import { encodeBase58 } from "../../../src/block-files/base58.ts";
import { BlockFilesFault, RpcFault } from "../../../src/block-files/block-files-fault.ts";
import { encodeBlock } from "../../../src/block-files/encode-block.ts";
import { rawMessage } from "../../../src/block-files/message-json.ts";
import { readMembers, readStoredBlock } from "../../../src/block-files/stored-block.ts";
import {
  encodeTransaction,
  readTransaction,
  writeTransaction,
} from "../../../src/block-files/wire.ts";
import { WireFault } from "../../../src/block-files/wire-bytes.ts";
import { demandEqual } from "../demand.ts";

const DETAILS = ["full", "accounts", "signatures", "none"] as const;
const ENCODINGS = ["json", "jsonParsed", "base58", "base64", "binary"] as const;
const VERSIONS = [undefined, 0, 255] as const;

export const WORDS = [
  ...[
    '"blockHeight":',
    '"blockTime":',
    '"blockhash":',
    '"parentSlot":',
    '"previousBlockhash":',
    '"transactions":[',
  ],
  ...[
    '"rewards":',
    '"meta":{',
    '"transaction":["',
    '","base64"]',
    '"version":',
    '"loadedAddresses":{"writable":[',
  ],
  ...[
    '"readonly":[',
    '"innerInstructions":[',
    '"index":0',
    '"instructions":[',
    '"programIdIndex":',
    '"accounts":[',
  ],
  ...[
    '"data":"',
    '"stackHeight":null',
    "9007199254740993",
    "null",
    "{}",
    "[]",
    ",",
    "-1",
    "\x80",
    "\x01",
    "\xff\xff\x03",
  ],
];

/**
 * A file of the ledger is a block or has a fault that says what is wrong; a transaction that is read is
 * written the same. The first byte says which of both comes.
 */
export function fuzz(data: Buffer): void {
  const [plan = 0] = data;
  const rest = data.subarray(1);
  if ((plan & 1) === 1) fuzzTransaction(rest);
  else fuzzBlock(rest.toString("utf8"), plan >> 1);
}

function fuzzTransaction(bytes: Buffer): void {
  const transaction = faultless(() => readTransaction(bytes));
  if (transaction === undefined) return;
  const written = Buffer.from(writeTransaction(transaction)).toString("hex");
  demandEqual(written, bytes.toString("hex"), "a transaction that was read and written");
  const { signatures, message } = transaction;
  const json = { signatures: signatures.map(encodeBase58), message: rawMessage(message) };
  const encoded = Buffer.from(encodeTransaction(json)).toString("hex");
  demandEqual(encoded, written, "a transaction by way of JSON");
}

function fuzzBlock(text: string, plan: number): void {
  const form = {
    details: DETAILS[plan & 3] ?? "full",
    encoding: ENCODINGS[(plan >> 2) % 5] ?? "json",
    rewards: (plan & 64) === 0,
    maxVersion: VERSIONS[plan % 3],
  };
  const members = faultless(() => readMembers(text));
  if (members === undefined) return;
  const { blockhash } = JSON.parse(text) as { readonly blockhash: unknown };
  demandEqual(members["blockhash"], blockhash, "the hash of a block");
  faultless(() => readStoredBlock(text));
  const encoded = faultless(() => encodeBlock(members, form));
  if (encoded !== undefined) JSON.parse(JSON.stringify(encoded));
}

/** Undefined where there is a fault of those that are known. */
function faultless<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    const isKnown = [BlockFilesFault, RpcFault, WireFault].some((kind) => error instanceof kind);
    if (!isKnown) throw error;
    return undefined;
  }
}
