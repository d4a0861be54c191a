import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeBase58 } from "../../src/block-files/base58.ts";
import { type Message, writeTransaction } from "../../src/block-files/wire.ts";
import { temporaryFolder } from "./written.ts";

const key = (seed: number): Uint8Array => new Uint8Array(32).fill(seed);
const PAYER = 7;
const PROGRAM = 9;
const LOADED = 11;
export const LEDGER_GENESIS = encodeBase58(key(42));

/** The signature of a transaction of `ledgerBlock`. */
export function ledgerSignature(slot: number, index: number): string {
  return encodeBase58(signatureBytes(slot, index));
}

function signatureBytes(slot: number, index: number): Uint8Array {
  const bytes = new Uint8Array(64).fill(1);
  new DataView(bytes.buffer).setFloat64(0, slot * 1000 + index);
  return bytes;
}

export type LedgerTransaction = "legacy" | "version 0";

/** A block as a ledger's file holds it; one transaction for each of the kinds. */
export function ledgerBlock(slot: number, kinds: readonly LedgerTransaction[] = ["legacy"]) {
  return {
    blockHeight: slot - 10,
    blockTime: 1_700_000_000 + slot,
    blockhash: encodeBase58(key(slot % 256)),
    parentSlot: slot - 1,
    previousBlockhash: encodeBase58(key((slot - 1) % 256)),
    rewards: [
      { commission: null, lamports: 5, postBalance: 9, pubkey: "1", rewardType: "Fee" },
    ] as unknown[],
    transactions: kinds.map((kind, index) => ledgerTransaction(kind, signatureBytes(slot, index))),
  };
}

function ledgerTransaction(kind: LedgerTransaction, signature: Uint8Array) {
  const isLegacy = kind === "legacy";
  const lookups = [
    { accountKey: key(10), writableIndexes: Uint8Array.of(3), readonlyIndexes: Uint8Array.of() },
  ];
  const message: Message = {
    version: isLegacy ? "legacy" : 0,
    header: {
      numRequiredSignatures: 1,
      numReadonlySignedAccounts: 0,
      numReadonlyUnsignedAccounts: 1,
    },
    accountKeys: [key(PAYER), key(PROGRAM)],
    recentBlockhash: key(8),
    instructions: [{ programIdIndex: 1, accounts: Uint8Array.of(0), data: Uint8Array.of(1, 2, 3) }],
    addressTableLookups: isLegacy ? [] : lookups,
  };
  const bytes = writeTransaction({ signatures: [signature], message });
  return {
    meta: {
      err: null as unknown,
      fee: 5000,
      innerInstructions: [] as unknown,
      loadedAddresses: {
        readonly: [],
        writable: isLegacy ? [] : [encodeBase58(key(LOADED))],
      } as unknown,
      logMessages: [],
      postBalances: [1, 1],
      postTokenBalances: [],
      preBalances: [5001, 1],
      preTokenBalances: [],
      rewards: [],
      status: { Ok: null } as unknown,
    },
    transaction: [Buffer.from(bytes).toString("base64"), "base64"] as [string, string],
    version: (isLegacy ? "legacy" : 0) as unknown,
  };
}

export type LedgerSlots = { firstSlot: number; confirmedSlot: number; finalizedSlot: number };

/** A new ledger of files. Returns its folder. */
export function ledgerFolder(
  slots: LedgerSlots,
  blocks: Readonly<Record<number, unknown>>,
): string {
  const folder = temporaryFolder("ledger");
  mkdirSync(join(folder, "blocks"));
  writeHead(folder, slots);
  for (const [slot, block] of Object.entries(blocks)) writeBlock(folder, Number(slot), block);
  return folder;
}

export function writeHead(folder: string, slots: LedgerSlots): void {
  const head = { format: 1, genesisHash: LEDGER_GENESIS, ...slots };
  writeFileSync(join(folder, "ledger.json"), JSON.stringify(head));
}

/** A text is written as it is. */
export function writeBlock(folder: string, slot: number, block: unknown): void {
  const text = typeof block === "string" ? block : JSON.stringify(block);
  writeFileSync(join(folder, "blocks", `${slot}.json`), text);
}
