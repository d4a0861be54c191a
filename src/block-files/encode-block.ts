import { unsupportedVersion } from "../jsonrpc/unsupported-version.ts";
import { AccountKeys, type LoadedAddresses } from "./account-keys.ts";
import { decodeBase58, encodeBase58 } from "./base58.ts";
import { BlockFilesFault, RpcFault } from "./block-files-fault.ts";
import { parsedInstruction, parsedMessage, rawMessage } from "./message-json.ts";
import {
  isObject,
  type Json,
  readSignatures,
  readStoredTransactions,
  type StoredTransaction,
  unknownVersion,
  within,
} from "./stored-block.ts";
import type { Instruction, Transaction } from "./wire.ts";

export type Details = "full" | "accounts" | "signatures" | "none";
/** `binary` is base58 without its name, from before there were others. */
export type Encoding = "json" | "jsonParsed" | "base58" | "base64" | "binary";

export type TransactionForm = {
  readonly encoding: Encoding;
  readonly rewards: boolean;
  /** Undefined: the client knows only legacy transactions, and no `version` member. */
  readonly maxVersion: number | undefined;
};
export type BlockForm = TransactionForm & { readonly details: Details };

/** The members that the `accounts` level leaves of a transaction's meta. */
const ACCOUNTS_META = new Set([
  "err",
  "fee",
  "postBalances",
  "postTokenBalances",
  "preBalances",
  "preTokenBalances",
  "status",
]);
const NONE_LOADED: LoadedAddresses = { writable: [], readonly: [] };

/**
 * A block in the form that was asked for, as agave 3.0 writes it (`transaction-status/src/lib.rs`);
 * the members in the order of the stored one, which is agave's.
 * @throws RpcFault -32015, BlockFilesFault
 */
export function encodeBlock(members: Json, form: BlockForm): Json {
  const encoded: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) {
    if (name === "transactions") Object.assign(encoded, encodeTransactions(members, form));
    else if (name !== "rewards" || form.rewards) encoded[name] = value;
  }
  return encoded;
}

function encodeTransactions(members: Json, form: BlockForm): Json {
  switch (form.details) {
    case "none":
      return {};
    case "signatures":
      return { signatures: readSignatures(members).map(encodeBase58) };
    case "accounts":
    case "full": {
      const encode = form.details === "full" ? encodeStored : encodeAccounts;
      const stored = readStoredTransactions(members);
      return {
        transactions: stored.map((each, index) =>
          within(`transaction ${index}`, () => encode(each, form)),
        ),
      };
    }
  }
}

/** An element of `transactions` at the level `full`. @throws RpcFault -32015, BlockFilesFault */
export function encodeStored(stored: StoredTransaction, form: TransactionForm): Json {
  const version = versionMember(stored, form);
  const { meta } = stored;
  const transaction = encodeWire(stored, form);
  return { meta: meta === null ? null : encodeMeta(meta, stored, form), transaction, ...version };
}

function encodeWire(stored: StoredTransaction, { encoding }: TransactionForm): unknown {
  switch (encoding) {
    case "base64":
      return [stored.base64, "base64"];
    case "base58":
      return [encodeBase58(stored.bytes), "base58"];
    case "binary":
      return encodeBase58(stored.bytes);
    case "json":
    case "jsonParsed": {
      const { message, signatures } = wireOf(stored);
      const isRaw = encoding === "json";
      return {
        message: isRaw ? rawMessage(message) : parsedMessage(message, keysOf(stored)),
        signatures: signatures.map(encodeBase58),
      };
    }
  }
}

function encodeMeta(meta: Json, stored: StoredTransaction, form: TransactionForm): Json {
  const shown = form.rewards ? meta : { ...meta, rewards: null };
  if (form.encoding !== "jsonParsed") return shown;
  const { loadedAddresses: _, ...parsed } = shown;
  const inner = meta["innerInstructions"];
  if (!Array.isArray(inner) || inner.length === 0) return parsed;
  const keys = keysOf(stored);
  return { ...parsed, innerInstructions: inner.map((each) => parsedInner(each, keys)) };
}

function encodeAccounts(stored: StoredTransaction, form: TransactionForm): Json {
  const version = versionMember(stored, form);
  const signatures = wireOf(stored).signatures.map(encodeBase58);
  const meta =
    stored.meta &&
    Object.fromEntries(
      Object.entries(stored.meta).filter(
        ([name]) => ACCOUNTS_META.has(name) || (name === "rewards" && form.rewards),
      ),
    );
  return { meta, transaction: { accountKeys: keysOf(stored).entries(), signatures }, ...version };
}

function versionMember(
  { version, meta }: StoredTransaction,
  { maxVersion }: TransactionForm,
): Json {
  if (version !== "legacy" && (maxVersion === undefined || version > maxVersion)) {
    const { message, code } = unsupportedVersion(version);
    throw new RpcFault(message, { code });
  }
  return maxVersion === undefined || meta === null ? {} : { version };
}

function wireOf({ wire, version }: StoredTransaction): Transaction {
  if (wire === undefined) throw unknownVersion(version);
  return wire;
}

function keysOf(stored: StoredTransaction): AccountKeys {
  const loaded = stored.meta?.["loadedAddresses"] ?? NONE_LOADED;
  const isLoaded = isObject(loaded) && isTexts(loaded["writable"]) && isTexts(loaded["readonly"]);
  if (!isLoaded) throw new BlockFilesFault("its meta.loadedAddresses are none");
  return new AccountKeys(wireOf(stored).message, loaded as LoadedAddresses);
}

/** An element of `meta.innerInstructions`; heights are null where the node did not record them. */
function parsedInner(each: unknown, keys: AccountKeys): Json {
  const { index, instructions } = isObject(each) ? each : {};
  if (!Array.isArray(instructions))
    throw new BlockFilesFault("its meta.innerInstructions are none");
  return {
    index,
    instructions: instructions.map((instruction) => {
      const { stackHeight = null } = isObject(instruction) ? instruction : {};
      return parsedInstruction(compiled(instruction), keys, stackHeight);
    }),
  };
}

function compiled(instruction: unknown): Instruction {
  const { accounts, data, programIdIndex } = isObject(instruction) ? instruction : {};
  try {
    if (isIndex(programIdIndex) && Array.isArray(accounts) && accounts.every(isIndex)) {
      return { programIdIndex, accounts: Uint8Array.from(accounts), data: decodeBase58(`${data}`) };
    }
  } catch (error) {
    throw new BlockFilesFault("an inner instruction's data are no base58", { cause: error });
  }
  throw new BlockFilesFault("an inner instruction is none");
}

const isIndex = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 0xff;

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");
