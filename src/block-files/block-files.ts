import { closeSync, fstatSync, openSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { MonotonicMs } from "../lib/clock.ts";
import { BlockFilesFault } from "./block-files-fault.ts";
import { parseExact } from "./exact-json.ts";
import { isObject, within } from "./stored-block.ts";

/**
 * Several times the largest block of a public network. A crafted file takes twenty times its size
 * once it is parsed, and a thread that runs out of memory ends the process with it.
 */
const MAX_FILE_BYTES = 32 * 1024 * 1024;
/** How long what was seen of the folder is believed. */
const BELIEVED_MS = 1000;
/** 16 digits hold every slot up to 2^53. */
const BLOCK_FILE = /^(0|[1-9]\d{0,15})\.json$/;

/** The contents of DIR/ledger.json. */
export type BlockFilesHead = {
  readonly genesisHash: string;
  readonly firstSlot: number;
  readonly confirmedSlot: number;
  readonly finalizedSlot: number;
};

/** Something read from a file or folder, and how that looked then. */
type Seen<Value> = { readonly print: string; readonly value: Value };

/** A ledger of files: DIR/ledger.json and DIR/blocks/<slot>.json. Reads block. */
export class BlockFiles {
  readonly #directory: string;
  readonly #now: () => number;
  readonly #head: Watched<BlockFilesHead>;
  readonly #slots: Watched<readonly number[]>;

  /** `now`: milliseconds that never go back. */
  constructor(directory: string, parts: { readonly now: () => number }) {
    this.#directory = directory;
    this.#now = parts.now;
    this.#head = new Watched(join(directory, "ledger.json"), (path) => {
      return parseHead(fileSystem(() => readText(path)));
    });
    this.#slots = new Watched(join(directory, "blocks"), listSlots);
  }

  /** @throws BlockFilesFault where ledger.json is wrong */
  head(): BlockFilesHead {
    return within("ledger.json", () => this.#head.read(this.#now()));
  }

  /** The slots that have a file, rising. @throws BlockFilesFault */
  slots(): readonly number[] {
    return within("blocks", () => this.#slots.read(this.#now()));
  }

  /** The text of a block's file, undefined where there is none. @throws BlockFilesFault */
  blockText(slot: number | bigint): string | undefined {
    const path = join(this.#directory, "blocks", `${slot}.json`);
    return within(`block ${slot}`, () => readIfThere(path));
  }
}

/** Reads again what has changed, looking for that at most once in BELIEVED_MS. */
class Watched<Value> {
  readonly #path: string;
  readonly #read: (path: string) => Value;
  #seen: Seen<Value> | undefined;
  #lookAgainMs = Number.NEGATIVE_INFINITY;

  constructor(path: string, read: (path: string) => Value) {
    this.#path = path;
    this.#read = read;
  }

  read(nowMs: MonotonicMs): Value {
    if (this.#seen !== undefined && nowMs < this.#lookAgainMs) return this.#seen.value;
    const print = fileSystem(() => {
      const { mtimeMs, size, ino } = statSync(this.#path);
      return `${mtimeMs} ${size} ${ino}`;
    });
    // A faulty file is read anew each time.
    if (this.#seen?.print !== print) {
      this.#seen = undefined;
      this.#seen = { print, value: this.#read(this.#path) };
    }
    this.#lookAgainMs = nowMs + BELIEVED_MS;
    return this.#seen.value;
  }
}

/** Faults of the file system by their name alone: their texts hold paths. */
function fileSystem<Value>(use: () => Value): Value {
  try {
    return use();
  } catch (error) {
    if (error instanceof BlockFilesFault) throw error;
    throw new BlockFilesFault(`it cannot be read (${codeOf(error)})`, { cause: error });
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "unknown";

function readIfThere(path: string): string | undefined {
  return fileSystem(() => {
    try {
      return readText(path);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    }
  });
}

function readText(path: string): string {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    if (size > MAX_FILE_BYTES) throw new BlockFilesFault(`its file is too large (${size} bytes)`);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

function listSlots(path: string): readonly number[] {
  const slots: number[] = [];
  for (const name of fileSystem(() => readdirSync(path))) {
    const [, slot] = BLOCK_FILE.exec(name) ?? [];
    if (slot !== undefined && Number.isSafeInteger(Number(slot))) slots.push(Number(slot));
  }
  return slots.sort((one, other) => one - other);
}

function parseHead(text: string): BlockFilesHead {
  let head: unknown;
  try {
    head = parseExact(text);
  } catch (error) {
    throw new BlockFilesFault("it is no JSON", { cause: error });
  }
  if (!isObject(head)) throw new BlockFilesFault("it is no JSON object");
  if (head["format"] !== 1) throw new BlockFilesFault("its format is not 1");
  const { genesisHash } = head;
  if (typeof genesisHash !== "string") throw new BlockFilesFault("its genesisHash is no text");
  const slot = (name: string): number => {
    const value = head[name];
    if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value);
    throw new BlockFilesFault(`its ${name} is no slot`);
  };
  const firstSlot = slot("firstSlot");
  const confirmedSlot = slot("confirmedSlot");
  const finalizedSlot = slot("finalizedSlot");
  if (finalizedSlot > confirmedSlot) {
    throw new BlockFilesFault("its finalizedSlot is above its confirmedSlot");
  }
  return { genesisHash, firstSlot, confirmedSlot, finalizedSlot };
}
