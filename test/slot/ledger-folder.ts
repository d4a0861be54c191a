import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SAMPLE_LEDGER } from "../../src/dev/slot-samples.ts";
import { ledgerFolder } from "../support/ledger-folder.ts";

export type BlockFilesHead = {
  readonly firstSlot: number;
  readonly confirmedSlot: number;
  readonly finalizedSlot: number;
};

/** The text of a block's file by its slot. */
export type Blocks = ReadonlyMap<number, string>;

/** A ledger of files in a new folder. */
export function writeLedger(blocks: Blocks, head: BlockFilesHead): string {
  return ledgerFolder(head, Object.fromEntries(blocks));
}

export const blockFile = (folder: string, slot: number): string =>
  join(folder, "blocks", `${slot}.json`);

/** The blocks of a ledger's folder, their slots rising. */
function readBlocks(folder: string): Map<number, string> {
  const slots = readdirSync(join(folder, "blocks")).map((name) => Number.parseInt(name, 10));
  slots.sort((a, b) => a - b);
  return new Map(slots.map((slot) => [slot, readFileSync(blockFile(folder, slot), "utf8")]));
}

/** The ledger that `tollgate dev` serves. */
export const SAMPLE_BLOCKS: Blocks = readBlocks(SAMPLE_LEDGER);
export const SAMPLE_HEAD: BlockFilesHead = JSON.parse(
  readFileSync(join(SAMPLE_LEDGER, "ledger.json"), "utf8"),
);

/** A slot network that is served from a folder alone. */
export const ledgerNetwork = (name: string, folder: string) => ({
  name,
  family: "slot",
  upstreams: [{ name: "ledger", url: `file:${folder}` }],
});
