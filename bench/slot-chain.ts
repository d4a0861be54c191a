/**
 * The slot networks' chain: made-up blocks in the shape that agave 3.0 gives, of wire transactions
 * that can be read; half of them votes, the others swaps of some programs, about half of version 0.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { encodeBase58 } from "../src/block-files/base58.ts";
import { encodeBlock } from "../src/block-files/encode-block.ts";
import { writeTransaction } from "../src/block-files/wire.ts";
import { hex, seeded } from "./chain.ts";
import { swap, vote } from "./slot-transactions.ts";

export const BLOCK_BYTES = 5_000_000;
export const HEAD_SLOT = 362_000_000;
/** The smallest slot with as many digits as the head's that has a block. */
export const FIRST_SLOT = 361_000_000;
/** So many from the first on are finalized for long. */
export const OLD_SLOTS = 900_000;
const LEDGER_BLOCK_BYTES = 200_000;
const LEDGER_BLOCKS = 64;
export const LAST_LEDGER_SLOT = FIRST_SLOT + LEDGER_BLOCKS - 1;
export const GENESIS_HASH = hashOf(0);

/** The slot that a call names; null for one that the chain lacks. */
export function slotOf(value: unknown): number | null {
  const isThere = typeof value === "number" && value >= FIRST_SLOT && value <= HEAD_SLOT;
  return isThere ? value : null;
}

/** The beginning of a block's JSON text: the members that differ from slot to slot. */
export function headOf(slot: number): string {
  const members = JSON.stringify({
    blockHeight: slot - 21_000_000,
    blockTime: 1_757_000_000 + Math.floor((slot - FIRST_SLOT) * 0.4),
    blockhash: hashOf(slot),
    parentSlot: slot - 1,
    previousBlockhash: hashOf(slot - 1),
  });
  return `${members.slice(0, -1)},`;
}

/** The rest of it: `transactions` of about so many bytes, other ones for another seed. ASCII. */
export function tailOf(options: {
  readonly seed: number;
  readonly bytes: number;
  readonly encoding: "json" | "base64";
}): string {
  const { seed, bytes, encoding } = options;
  const random = seeded(seed);
  const form = { encoding, details: "full", rewards: true, maxVersion: 0 } as const;
  const texts: string[] = [];
  for (let size = 0; size < bytes; size += texts.at(-1)?.length ?? 0) {
    const { meta, wire } = texts.length % 2 === 0 ? vote(random) : swap(random);
    const base64 = Buffer.from(writeTransaction(wire)).toString("base64");
    const block = encodeBlock({ transactions: [{ meta, transaction: [base64, "base64"] }] }, form);
    texts.push(JSON.stringify(block["transactions"]).slice(1, -1));
  }
  return `"transactions":[${texts.join(",")}]}`;
}

/** Makes a ledger of files: blocks of about 200 KB, each with other transactions. */
export async function writeLedger(directory: string): Promise<void> {
  const blocks = join(directory, "blocks");
  await mkdir(blocks, { recursive: true });
  for (let slot = FIRST_SLOT; slot <= LAST_LEDGER_SLOT; slot += 1) {
    const seed = slot - FIRST_SLOT + 1;
    const tail = tailOf({ seed, bytes: LEDGER_BLOCK_BYTES, encoding: "base64" });
    const text = `${headOf(slot)}"rewards":[],${tail}`;
    await writeFile(join(blocks, `${slot}.json`), text);
  }
  const head = {
    format: 1,
    genesisHash: GENESIS_HASH,
    firstSlot: FIRST_SLOT,
    confirmedSlot: LAST_LEDGER_SLOT,
    finalizedSlot: LAST_LEDGER_SLOT,
  };
  await writeFile(join(directory, "ledger.json"), JSON.stringify(head));
}

function hashOf(slot: number): string {
  return encodeBase58(Buffer.from(hex(seeded(slot + 1), 32), "hex"));
}
