import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { BlockFiles, type BlockFilesHead } from "../../block-files/block-files.ts";
import { BlockFilesFault } from "../../block-files/block-files-fault.ts";
import { readStoredBlock } from "../../block-files/stored-block.ts";
import { CommandError } from "../output.ts";
import type { SlotRange } from "./ledger-import-slots.ts";

/** The hash of nothing, as nodes write it: what files alone do not tell. */
const UNKNOWN_GENESIS = "1".repeat(32);
/** A written file gets its own name only when it is whole. */
const PARTIAL = ".partial";

/** The ledger that is filled: DIR/ledger.json and DIR/blocks/<slot>.json. */
export class ImportTarget {
  readonly #folder: string;
  #head: BlockFilesHead | undefined;
  #genesisHash: string;

  private constructor(folder: string, head: BlockFilesHead | undefined) {
    this.#folder = folder;
    this.#head = head;
    this.#genesisHash = head?.genesisHash ?? UNKNOWN_GENESIS;
  }

  /** Makes the folder where there is none. @throws CommandError */
  static open(folder: string): ImportTarget {
    return writing(folder, () => {
      makeFolder(join(folder, "blocks"));
      // An interrupted import may have left these.
      for (const name of readdirSync(join(folder, "blocks"))) {
        if (name.endsWith(PARTIAL)) rmSync(join(folder, "blocks", name));
      }
      return new ImportTarget(folder, readHead(folder));
    });
  }

  /** The contents of ledger.json; undefined where there is no block yet. */
  get head(): BlockFilesHead | undefined {
    return this.#head;
  }

  get firstSlot(): number | undefined {
    return this.#head?.firstSlot;
  }

  /** Blocks of this chain are to come. @throws CommandError where the ledger is of another */
  join(genesisHash: string | undefined): void {
    if (genesisHash === undefined || genesisHash === UNKNOWN_GENESIS) return;
    const own = this.#genesisHash;
    if (own !== UNKNOWN_GENESIS && own !== genesisHash) {
      throw new CommandError(
        `the ledger is of another chain: its genesis hash is ${own}, the source's ${genesisHash}`,
      );
    }
    this.#genesisHash = genesisHash;
  }

  /** The slots between the ledger's own and the range; undefined where they touch. */
  gapTo({ first, last }: SlotRange): SlotRange | undefined {
    if (this.#head === undefined) return undefined;
    const { firstSlot, confirmedSlot } = this.#head;
    if (first > confirmedSlot + 1) return { first: confirmedSlot + 1, last: first - 1 };
    return last < firstSlot - 1 ? { first: last + 1, last: firstSlot - 1 } : undefined;
  }

  /** Whether a whole block is there: one that was cut short is not. */
  has(slot: number): boolean {
    try {
      readStoredBlock(readFileSync(this.#pathOf(slot), "utf8"));
      return true;
    } catch (error) {
      if (error instanceof BlockFilesFault) return false;
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
      throw error;
    }
  }

  /** @throws CommandError where the disk does not take it */
  write(slot: number, text: string): void {
    this.#put(this.#pathOf(slot), text);
  }

  /** These blocks are there. @throws CommandError */
  widen(slots: readonly number[]): void {
    if (slots.length === 0) return;
    const [first, last] = [Math.min(...slots), Math.max(...slots)];
    const head = this.#head ?? { firstSlot: first, confirmedSlot: last, finalizedSlot: last };
    this.#head = {
      genesisHash: this.#genesisHash,
      firstSlot: Math.min(head.firstSlot, first),
      confirmedSlot: Math.max(head.confirmedSlot, last),
      finalizedSlot: Math.max(head.finalizedSlot, last),
    };
    const text = JSON.stringify({ format: 1, ...this.#head }, null, 2);
    this.#put(join(this.#folder, "ledger.json"), `${text}\n`);
  }

  #put(path: string, text: string): void {
    writing(this.#folder, () => {
      writeFileSync(path + PARTIAL, text, { flush: true });
      renameSync(path + PARTIAL, path);
    });
  }

  #pathOf(slot: number): string {
    return join(this.#folder, "blocks", `${slot}.json`);
  }
}

/** Not mkdir's own way for many levels: that never returns where the system has no such folder. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path);
}

function readHead(folder: string): BlockFilesHead | undefined {
  if (!existsSync(join(folder, "ledger.json"))) return undefined;
  try {
    return new BlockFiles(folder, { now: () => 0 }).head();
  } catch (error) {
    if (!(error instanceof BlockFilesFault)) throw error;
    throw new CommandError(`${folder}: ${error.message}`, { cause: error });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "no permission",
  ENOENT: "no folder can be made there",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left on the device",
  EDQUOT: "the quota is used up",
  ENOTDIR: "a file stands in its place",
  EEXIST: "a file stands in its place",
};

function writing<Value>(folder: string, write: () => Value): Value {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error && "code" in error)) throw error;
    const reason = REASONS[String(error.code)] ?? String(error.code);
    throw new CommandError(`cannot write into ${folder}: ${reason}`, { cause: error });
  }
}
