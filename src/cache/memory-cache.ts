import { textHash } from "../lib/text-hash.ts";
import { TextTable } from "../lib/text-table.ts";
import { BlockIndex } from "./block-index.ts";
import { Entry, type Stored } from "./entry.ts";
import { isText, ownKey, ownValue } from "./own-memory.ts";
import { Residents } from "./residents.ts";

/** The bytes of an entry beside its key and value: itself, its place in the table, two strings' heads. */
const ENTRY_BYTES = 272;
/** The bytes of a Buffer beside its contents. */
const BUFFER_BYTES = 200;

/** Plain counters since the start; a rejected answer was not admitted, an evicted one made room. */
type CacheStats = {
  readonly hits: number;
  readonly misses: number;
  readonly admitted: number;
  readonly rejected: number;
  readonly evicted: number;
};

type Counters = { -readonly [K in Exclude<keyof CacheStats, "evicted">]: number };

function bytesOf(key: string, length: number): number {
  return ENTRY_BYTES + key.length + length + (isText(length) ? 0 : BUFFER_BYTES);
}

type Weight = { readonly credits: number; readonly passing: boolean };

/** An answer of so many bytes; undefined where it is not to be kept. */
type Offered = {
  readonly length: number;
  readonly read: () => Stored | undefined;
  /** The key's, where it is known already. */
  readonly hash?: number;
};
type Hashed = Offered & { readonly hash: number };

/** The same key of another method is another ghost; 0 means "none" to those who keep them. */
function ghostOf(hash: number, seed: number): number {
  const product = Math.imul(hash ^ seed, 0x9e3779b1);
  return product ^ (product >>> 15) || 1;
}

/** Answers that are known, of all networks, in at most so many bytes together. */
export class MemoryCache {
  readonly #residents: Residents;
  readonly #methods = new Map<string, MethodCache>();
  #opened = 0;
  readonly #counters: Counters = { hits: 0, misses: 0, admitted: 0, rejected: 0 };

  constructor(options: { readonly maxBytes: number }) {
    this.#residents = new Residents(options.maxBytes);
  }

  /** Nothing is ever kept: what would have to be made ready for that can be left out. */
  get isOff(): boolean {
    return this.#residents.isOff;
  }

  /** The cache of one method of one network: the same object for the same name. */
  open(name: string): MethodCache {
    let opened = this.#methods.get(name);
    if (opened === undefined) {
      this.#opened += 1;
      const parts = { residents: this.#residents, counters: this.#counters };
      opened = new MethodCache({ ...parts, seed: this.#opened });
      this.#methods.set(name, opened);
    }
    return opened;
  }

  /** Drops the parts whose names begin so. Answers without a block are evicted later, as others need their room. */
  close(prefix: string): void {
    for (const [name, cache] of this.#methods) {
      if (!name.startsWith(prefix)) continue;
      cache.dropAbove(-1);
      this.#methods.delete(name);
    }
  }

  /** Bytes of the entries and of everything that is needed to keep them. */
  get bytes(): number {
    return this.#residents.bytes;
  }

  get entries(): number {
    return this.#residents.entries;
  }

  get stats(): CacheStats {
    return { ...this.#counters, evicted: this.#residents.evicted };
  }
}

/** The answers to one method of one network, by key: the text of their params. */
export class MethodCache {
  readonly #entries = new TextTable<Entry>();
  readonly #kept = new BlockIndex();
  readonly #passing = new BlockIndex();
  readonly #residents: Residents;
  readonly #counters: Counters;
  readonly #seed: number;
  readonly #remove: (entry: Entry) => void;

  constructor(parts: {
    readonly residents: Residents;
    readonly counters: Counters;
    readonly seed: number;
  }) {
    this.#residents = parts.residents;
    this.#counters = parts.counters;
    this.#seed = parts.seed;
    this.#remove = (entry) => parts.residents.remove(entry);
  }

  /** One look-up in a table and a few counts: nothing is allocated. `hash`: the key's. */
  get(key: string, hash = textHash(key)): Stored | undefined {
    const entry = this.#entries.find(key, hash);
    if (entry === undefined) {
      this.#counters.misses++;
      return undefined;
    }
    this.#counters.hits++;
    entry.used();
    return entry;
  }

  /**
   * Keeps the answer if it is worth its bytes, in place of one of the same key. What is kept is a
   * copy, as text up to 4 KiB and else as bytes: key and value may be parts of anything, and their
   * memory may be used again at once. Text that is no binary string is not kept.
   * The caller answers for the block: that no reorganisation below it came since the question.
   * `credits`: what the call costs, as a measure of what the node spends on it; `passing`: asked by
   * a tag, and so of no use a few blocks later.
   */
  set(key: string, stored: Stored, weight: Weight): void {
    this.offer(key, { length: stored.value.length, read: () => stored }, weight);
  }

  /** The same, where a look at the answer costs something: `read` is called where it has a place. */
  offer(key: string, answer: Offered, weight: Weight): void {
    const { hash = textHash(key) } = answer;
    const known = this.#entries.find(key, hash);
    if (known !== undefined) this.#residents.supersede(known);
    const entry = this.#admitted(key, { ...answer, hash }, weight.credits);
    if (entry === undefined) {
      this.#counters.rejected++;
      return;
    }
    this.#counters.admitted++;
    this.#entries.add(entry);
    if (entry.block >= 0) (weight.passing ? this.#passing : this.#kept).add(entry);
  }

  /** Undefined where it is turned away; else it is among the residents. */
  #admitted(key: string, answer: Hashed, credits: number): Entry | undefined {
    const { length, hash, read } = answer;
    if (this.#entries.isCrowded(hash)) return undefined;
    const bytes = bytesOf(key, length);
    const ghost = ghostOf(hash, this.#seed);
    const queue = this.#residents.queueFor(ghost, bytes);
    const own = queue && ownKey(key);
    const stored = own === undefined ? undefined : read();
    const value = stored && ownValue(stored.value);
    if (queue === undefined || own === undefined || stored === undefined || value === undefined) {
      return undefined;
    }
    const { block } = stored;
    const parts = { key: own, hash, ghost, value, block, table: this.#entries };
    const entry = new Entry(parts, { bytes, credits });
    this.#residents.add(entry, queue);
    return entry;
  }

  /** A reorganisation: everything of blocks above this one is gone at once. */
  dropAbove(block: number): void {
    this.#kept.dropAbove(block, this.#remove);
    this.#passing.dropAbove(block, this.#remove);
  }

  /** The head moved: what is `passing` and of blocks below this one is of no use any more. */
  forgetPassing(block: number): void {
    this.#passing.dropBelow(block, this.#remove);
  }
}
