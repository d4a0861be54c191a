import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { BlockFiles } from "../../block-files/block-files.ts";
import { BlockFilesFault } from "../../block-files/block-files-fault.ts";
import { WireFault } from "../../block-files/wire-bytes.ts";
import { redact } from "../../telemetry/redact.ts";
import { CommandError } from "../output.ts";
import { type FoundBlock, readBlockFile } from "./ledger-import-block.ts";
import type { SlotRange } from "./ledger-import-slots.ts";
import type { BlockSource } from "./ledger-import-source.ts";

/** `432000.json`, or a name with `slot-432000` in it. */
const BLOCK_NAMES = [/^(\d{1,16})\.json$/i, /slot-(\d{1,16})(?!\d).*\.json$/i];

/**
 * A folder of blocks as JSON files, or a ledger's own. Of several files of one slot the one that
 * needs the least change is taken, then the one with the most transactions.
 * @throws CommandError where it cannot be read
 */
export function openFolderSource(folder: string): BlockSource {
  const paths = pathsBySlot(folder);
  const slots = [...paths.keys()].sort((a, b) => a - b);
  const within = ({ first, last }: SlotRange) =>
    slots.filter((slot) => slot >= first && slot <= last);
  return {
    genesisHash: async () => genesisHashOf(folder),
    requireSlots: async (range) => {
      if (within(range).length > 0) return;
      const { first, last } = range;
      throw new CommandError(`${folder} has no file of a block in the slots ${first}-${last}`);
    },
    slotsIn: async (range) => within(range),
    block: async (slot) => blockOf(paths.get(slot) ?? []),
    close: async () => undefined,
  };
}

function pathsBySlot(folder: string): Map<number, string[]> {
  const paths = new Map<number, string[]>();
  for (const path of [...pathsIn(folder), ...pathsIn(join(folder, "blocks"))].sort()) {
    const slot = slotOf(basename(path));
    if (slot !== undefined) paths.set(slot, [...(paths.get(slot) ?? []), path]);
  }
  if (paths.size === 0) {
    throw new CommandError(
      `${folder} has no files of blocks: <slot>.json, or slot-<slot> in the name`,
    );
  }
  return paths;
}

function slotOf(name: string): number | undefined {
  for (const pattern of BLOCK_NAMES) {
    const [, slot] = pattern.exec(name) ?? [];
    if (slot !== undefined && Number.isSafeInteger(Number(slot))) return Number(slot);
  }
  return undefined;
}

function pathsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch (error) {
    throw new CommandError(`${folder} cannot be read as a folder`, { cause: error });
  }
}

/** The genesis hash that a ledger tells of itself; blocks alone do not tell their chain. */
function genesisHashOf(folder: string): string | undefined {
  if (!existsSync(join(folder, "ledger.json"))) return undefined;
  try {
    return new BlockFiles(folder, { now: () => 0 }).head().genesisHash;
  } catch (error) {
    throw explain(folder, error);
  }
}

/** Undefined where there is no block after all. */
function blockOf(paths: readonly string[]): string | undefined {
  const found: { readonly path: string; readonly block: FoundBlock }[] = [];
  const faults: unknown[] = [];
  for (const path of paths) {
    try {
      const block = readBlockFile(readFileSync(path, "utf8"));
      if (block !== undefined) found.push({ path, block });
    } catch (error) {
      faults.push(explain(path, error));
    }
  }
  const [best] = found.sort(({ block: a }, { block: b }) => {
    return a.rank - b.rank || b.transactions - a.transactions;
  });
  if (best === undefined && faults.length > 0) throw faults[0];
  try {
    return best?.block.text();
  } catch (error) {
    throw explain(best?.path ?? "", error);
  }
}

function explain(path: string, error: unknown): unknown {
  if (!(error instanceof BlockFilesFault || error instanceof WireFault)) return error;
  return new CommandError(`${basename(path)}: ${redact(error.message)}`, { cause: error });
}
