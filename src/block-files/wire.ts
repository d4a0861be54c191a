/**
 * Transactions as the network sends them (solana-sdk, bincode with compact-u16 lengths): the legacy
 * form and version 0. What a node would not take is a WireFault: cut short, bytes left over, lengths
 * that are not written in the shortest way.
 */
import { decodeBase58 } from "./base58.ts";
import { WireFault, WireReader, WireWriter } from "./wire-bytes.ts";

export type Header = {
  readonly numRequiredSignatures: number;
  readonly numReadonlySignedAccounts: number;
  readonly numReadonlyUnsignedAccounts: number;
};

export type Instruction = {
  readonly programIdIndex: number;
  readonly accounts: Uint8Array;
  readonly data: Uint8Array;
};

export type TableLookup = {
  readonly accountKey: Uint8Array;
  readonly writableIndexes: Uint8Array;
  readonly readonlyIndexes: Uint8Array;
};

/** Keys and the hash are 32 bytes; a legacy message has no lookups. */
export type Message = {
  readonly version: "legacy" | 0;
  readonly header: Header;
  readonly accountKeys: readonly Uint8Array[];
  readonly recentBlockhash: Uint8Array;
  readonly instructions: readonly Instruction[];
  readonly addressTableLookups: readonly TableLookup[];
};

/** Signatures are 64 bytes each. */
export type Transaction = {
  readonly signatures: readonly Uint8Array[];
  readonly message: Message;
};

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** Set in the first byte of a message that is not legacy; the rest of the byte is its version. */
const VERSIONED = 0x80;
/** With more, the first byte would say that the transaction is of a later version. */
const MAX_SIGNATURES = VERSIONED - 1;

/**
 * The version of a transaction, without a look at what this program may not know: from version 1 on
 * (SIMD-0385) the message, and so its version, stands before the signatures.
 * @throws WireFault where the bytes end before it
 */
export function versionOf(bytes: Uint8Array): "legacy" | number {
  const first = new WireReader(bytes).byte("the number of signatures");
  if (first >= VERSIONED) return first - VERSIONED;
  const prefix = bytes[1 + first * SIGNATURE_BYTES];
  if (prefix === undefined) throw new WireFault("it ends within its signatures");
  return prefix >= VERSIONED ? prefix - VERSIONED : "legacy";
}

/** @throws WireFault */
export function readTransaction(bytes: Uint8Array): Transaction {
  const version = versionOf(bytes);
  if (version !== "legacy" && (version > 0 || (bytes[0] ?? 0) >= VERSIONED)) {
    throw new WireFault(`transactions of version ${version} are not known`);
  }
  const reader = new WireReader(bytes);
  const signatures = reader.list("signatures", () => reader.take(SIGNATURE_BYTES, "a signature"));
  if (version === 0) reader.byte("the version");
  const message = readMessage(reader, version === 0 ? 0 : "legacy");
  reader.end();
  return { signatures, message };
}

function readMessage(reader: WireReader, version: "legacy" | 0): Message {
  const header = {
    numRequiredSignatures: reader.byte("the header"),
    numReadonlySignedAccounts: reader.byte("the header"),
    numReadonlyUnsignedAccounts: reader.byte("the header"),
  };
  const key = (): Uint8Array => reader.take(KEY_BYTES, "an account key");
  const accountKeys = reader.list("account keys", key);
  const recentBlockhash = reader.take(KEY_BYTES, "the recent blockhash");
  const instructions = reader.list("instructions", () => ({
    programIdIndex: reader.byte("a program's index"),
    accounts: reader.bytes("an instruction's accounts"),
    data: reader.bytes("an instruction's data"),
  }));
  const lookup = (): TableLookup => ({
    accountKey: reader.take(KEY_BYTES, "a lookup table's key"),
    writableIndexes: reader.bytes("a lookup's writable indexes"),
    readonlyIndexes: reader.bytes("a lookup's readonly indexes"),
  });
  const addressTableLookups = version === 0 ? reader.list("table lookups", lookup) : [];
  return { version, header, accountKeys, recentBlockhash, instructions, addressTableLookups };
}

/** @throws WireFault where a part has the wrong size or a list is too long for the form */
export function writeTransaction({ signatures, message }: Transaction): Uint8Array {
  if (signatures.length > MAX_SIGNATURES) throw new WireFault("it has too many signatures");
  const writer = new WireWriter();
  writer.list(signatures, (signature) => writer.fixed(signature, SIGNATURE_BYTES));
  if (message.version === 0) writer.byte(VERSIONED);
  const { header } = message;
  if (message.version === "legacy" && header.numRequiredSignatures >= VERSIONED) {
    throw new WireFault("it requires too many signatures");
  }
  writer.byte(header.numRequiredSignatures);
  writer.byte(header.numReadonlySignedAccounts);
  writer.byte(header.numReadonlyUnsignedAccounts);
  writer.list(message.accountKeys, (key) => writer.fixed(key, KEY_BYTES));
  writer.fixed(message.recentBlockhash, KEY_BYTES);
  writer.list(message.instructions, ({ programIdIndex, accounts, data }) => {
    writer.byte(programIdIndex);
    writer.bytes(accounts);
    writer.bytes(data);
  });
  if (message.version === 0) {
    writer.list(message.addressTableLookups, (lookup) => {
      writer.fixed(lookup.accountKey, KEY_BYTES);
      writer.bytes(lookup.writableIndexes);
      writer.bytes(lookup.readonlyIndexes);
    });
  }
  return writer.done();
}

/** A transaction in the `json` encoding, as far as its wire form needs it. */
type JsonTransaction = {
  readonly signatures: readonly string[];
  readonly message: {
    readonly header: Header;
    readonly accountKeys: readonly string[];
    readonly recentBlockhash: string;
    readonly instructions: readonly {
      readonly programIdIndex: number;
      readonly accounts: readonly number[];
      readonly data: string;
    }[];
    /** An array, also an empty one, says that the message is of version 0. */
    readonly addressTableLookups?:
      | readonly {
          readonly accountKey: string;
          readonly writableIndexes: readonly number[];
          readonly readonlyIndexes: readonly number[];
        }[]
      | null;
  };
};

/**
 * The wire form of a transaction that a node gave in the `json` encoding: its `transaction` member.
 * @throws WireFault where it is none
 */
export function encodeTransaction(json: unknown): Uint8Array {
  try {
    const { signatures, message } = json as JsonTransaction;
    const lookups = message.addressTableLookups ?? undefined;
    return writeTransaction({
      signatures: signatures.map(decodeBase58),
      message: {
        version: lookups === undefined ? "legacy" : 0,
        header: message.header,
        accountKeys: message.accountKeys.map(decodeBase58),
        recentBlockhash: decodeBase58(message.recentBlockhash),
        instructions: message.instructions.map(({ programIdIndex, accounts, data }) => ({
          programIdIndex,
          accounts: toBytes(accounts),
          data: decodeBase58(data),
        })),
        addressTableLookups: (lookups ?? []).map((lookup) => ({
          accountKey: decodeBase58(lookup.accountKey),
          writableIndexes: toBytes(lookup.writableIndexes),
          readonlyIndexes: toBytes(lookup.readonlyIndexes),
        })),
      },
    });
  } catch (error) {
    if (error instanceof WireFault) throw error;
    throw new WireFault("it is no transaction in the json encoding", { cause: error });
  }
}

function toBytes(indexes: readonly number[]): Uint8Array {
  const isBytes = indexes.every((index) => Number.isInteger(index) && index >= 0 && index <= 0xff);
  if (!isBytes) throw new WireFault("an index is no byte");
  return Uint8Array.from(indexes);
}
