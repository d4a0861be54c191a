import { base58 } from "@scure/base";
import { expect } from "vitest";
import { readWire, type WireTransaction } from "./wire-reader.ts";

export type Details = "full" | "accounts" | "signatures" | "none";
export type Encoding = "json" | "jsonParsed" | "base58" | "base64";
export type BlockOptions = {
  readonly transactionDetails: Details;
  readonly encoding: Encoding;
  readonly rewards: boolean;
  readonly maxSupportedTransactionVersion: number | undefined;
};

type Members = Readonly<Record<string, unknown>>;
type Meta = Members & {
  readonly loadedAddresses?: { readonly writable: string[]; readonly readonly: string[] };
  readonly innerInstructions?: readonly { readonly instructions: readonly unknown[] }[];
};
/** A block's file: getBlock's result at base64, full, rewards, version 255, exactly parsed. */
export type StoredBlock = Members & {
  readonly transactions: readonly {
    readonly meta: Meta;
    readonly transaction: readonly [string, "base64"];
    readonly version: "legacy" | number;
  }[];
};

const SCALARS = ["blockHeight", "blockTime", "blockhash", "parentSlot", "previousBlockhash"];
const REWARDS = ["rewards", "numRewardPartitions"];
/** What the level `accounts` shows of a transaction's meta. */
const ACCOUNTS_META = [
  "err",
  "fee",
  "postBalances",
  "postTokenBalances",
  "preBalances",
  "preTokenBalances",
  "status",
];

/** The error that the specification asks for; undefined where the block is to be given. */
export function versionError(stored: StoredBlock, options: BlockOptions): object | undefined {
  const { transactionDetails: details, maxSupportedTransactionVersion: max } = options;
  if (details !== "full" && details !== "accounts") return undefined;
  const tooHigh = stored.transactions.find(
    ({ version }) => version !== "legacy" && (max === undefined || version > max),
  );
  if (tooHigh === undefined) return undefined;
  const { version } = tooHigh;
  return {
    code: -32015,
    message:
      `Transaction version (${version}) is not supported by the requesting client. Please try ` +
      "the request again with the following configuration parameter: " +
      `"maxSupportedTransactionVersion": ${version}`,
  };
}

/** Compares a block with the stored one, by the words of the specification. */
export function expectBlock(got: unknown, stored: StoredBlock, options: BlockOptions): void {
  const block = got as Members;
  const { transactionDetails: details, rewards } = options;
  const shown = [
    ...SCALARS,
    ...(rewards ? REWARDS.filter((name) => name in stored) : []),
    ...(details === "full" || details === "accounts" ? ["transactions"] : []),
    ...(details === "signatures" ? ["signatures"] : []),
  ];
  expect(Object.keys(block).toSorted()).toEqual(shown.toSorted());
  for (const name of shown) {
    if (name !== "transactions" && name !== "signatures") expect(block[name]).toEqual(stored[name]);
  }
  const wires = stored.transactions.map(({ transaction: [base64] }) => readWire(base64));
  if (details === "signatures") {
    expect(block["signatures"]).toEqual(wires.map(({ signatures }) => signatures[0]));
  }
  if (!shown.includes("transactions")) return;
  const transactions = block["transactions"] as Members[];
  expect(transactions).toHaveLength(wires.length);
  for (const [index, wire] of wires.entries()) {
    const { meta, version } = stored.transactions[index] ?? { meta: {}, version: -1 };
    const entry = transactions[index] as { meta: Members; transaction: unknown };
    const hasVersion = options.maxSupportedTransactionVersion !== undefined;
    const names = ["meta", "transaction", ...(hasVersion ? ["version"] : [])];
    expect(Object.keys(entry).toSorted()).toEqual(names);
    if (hasVersion) expect(entry).toHaveProperty("version", version);
    if (details === "accounts") expectAccounts(entry, { meta, wire, rewards });
    else {
      expectMeta(entry.meta, meta, options);
      expectEncoded(entry.transaction, { wire, meta, stored, index, options });
    }
  }
}

function expectAccounts(
  entry: { readonly meta: Members; readonly transaction: unknown },
  { meta, wire, rewards }: { meta: Meta; wire: WireTransaction; rewards: boolean },
): void {
  const names = [...ACCOUNTS_META, ...(rewards ? ["rewards"] : [])].filter((name) => name in meta);
  expect(entry.meta).toEqual(Object.fromEntries(names.map((name) => [name, meta[name]])));
  const { accountKeys, ...rest } = entry.transaction as Members;
  expect(rest).toEqual({ signatures: wire.signatures });
  expectKeys(accountKeys, wire, meta);
}

function expectMeta(got: Members, stored: Meta, { encoding, rewards }: BlockOptions): void {
  const parsed = encoding === "jsonParsed";
  const { loadedAddresses, ...withoutLoaded } = stored;
  const shown = parsed ? withoutLoaded : { ...withoutLoaded, loadedAddresses };
  const { innerInstructions, ...rest } = got;
  const { innerInstructions: inner, ...expected } = {
    ...shown,
    ...(!rewards && { rewards: null }),
  };
  expect(rest).toEqual(expected);
  if (!parsed || !Array.isArray(inner)) expect(innerInstructions).toEqual(inner);
  else {
    const seen = innerInstructions as { index: unknown; instructions: Members[] }[];
    expect(seen.map(({ instructions }) => instructions.length)).toEqual(
      inner.map(({ instructions }) => instructions.length),
    );
    for (const { instructions } of seen) instructions.forEach(expectParsed);
  }
}

function expectEncoded(
  got: unknown,
  of: {
    readonly wire: WireTransaction;
    readonly meta: Meta;
    readonly stored: StoredBlock;
    readonly index: number;
    readonly options: BlockOptions;
  },
): void {
  const { wire, meta, stored, index } = of;
  const { encoding } = of.options;
  const [base64 = ""] = stored.transactions[index]?.transaction ?? [];
  if (encoding === "base64") expect(got).toEqual([base64, encoding]);
  else if (encoding === "base58") {
    expect(got).toEqual([base58.encode(Buffer.from(base64, "base64")), encoding]);
  } else {
    const { message, signatures } = got as { message: Members; signatures: unknown };
    const { version, header, accountKeys, recentBlockhash, instructions } = wire;
    const lookups = version === "legacy" ? {} : { addressTableLookups: wire.addressTableLookups };
    expect(signatures).toEqual(wire.signatures);
    const { accountKeys: keys, instructions: shown, ...rest } = message;
    if (encoding === "json") {
      expect(rest).toEqual({ header, recentBlockhash, ...lookups });
      expect(keys).toEqual(accountKeys);
      expect(shown).toEqual(instructions.map((each) => ({ ...each, stackHeight: 1 })));
    } else {
      expect(rest).toEqual({ recentBlockhash, ...lookups });
      expectKeys(keys, wire, meta);
      const all = allKeys(wire, meta);
      const programs = instructions.map(({ programIdIndex }) => all[programIdIndex]);
      expect((shown as Members[]).map(({ programId }) => programId)).toEqual(programs);
      (shown as Members[]).forEach(expectParsed);
    }
  }
}

const allKeys = ({ accountKeys }: WireTransaction, { loadedAddresses }: Meta): string[] => [
  ...accountKeys,
  ...(loadedAddresses?.writable ?? []),
  ...(loadedAddresses?.readonly ?? []),
];

/** An instruction of a program that is known, or with its accounts resolved. */
function expectParsed(instruction: Members): void {
  const names = Object.keys(instruction).toSorted().join();
  expect(["parsed,program,programId,stackHeight", "accounts,data,programId,stackHeight"]).toContain(
    names,
  );
}

/** Annotated keys. Nodes write a program that is called, and what is reserved, as read-only always. */
function expectKeys(got: unknown, wire: WireTransaction, meta: Meta): void {
  const { header, accountKeys: own, instructions } = wire;
  const keys = allKeys(wire, meta);
  const seen = got as { pubkey: string; signer: boolean; source: string; writable: boolean }[];
  expect(seen.map(({ pubkey }) => pubkey)).toEqual(keys);
  const { numRequiredSignatures: signers } = header;
  const called = new Set(instructions.map(({ programIdIndex }) => programIdIndex));
  const loadedWritable = meta.loadedAddresses?.writable.length ?? 0;
  for (const [index, entry] of seen.entries()) {
    expect(Object.keys(entry).toSorted()).toEqual(["pubkey", "signer", "source", "writable"]);
    expect(entry.signer).toBe(index < signers);
    expect(entry.source).toBe(index < own.length ? "transaction" : "lookupTable");
    const isWritable =
      index >= own.length
        ? index < own.length + loadedWritable
        : index < signers
          ? index < signers - header.numReadonlySignedAccounts
          : index < own.length - header.numReadonlyUnsignedAccounts;
    const isFixed = called.has(index) || /^Sysvar|1{16}/.test(entry.pubkey);
    if (!isWritable || !isFixed) expect(entry.writable).toBe(isWritable);
  }
}
