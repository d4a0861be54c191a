import { ownText } from "../lib/bytes.ts";

/** About 6 KB for each account and network; makes the bound below 3 % of a minute's calls. */
export const SKETCH_ENTRIES = 64;

/** The account and network whose calls a sketch counts. */
export type SketchOwner = {
  readonly minute: number;
  readonly accountId: string;
  readonly network: string;
};

/** One contract as the sketch sees it. It was called `hits` to `hits + missed` times. */
export type SketchEntry = {
  readonly owner: SketchOwner;
  contract: string;
  hits: number;
  missed: number;
  /** The hits that the store does not have yet. */
  unsent: number;
  /** Stands in the list of what is due for the store. */
  listed: boolean;
};

/**
 * The contracts called most, in bounded memory: Space-Saving (Metwally, Agrawal, El Abbadi, 2005).
 * After N calls every contract with more than N / SKETCH_ENTRIES of them is an entry, and no entry
 * has missed more than that. Without regard to the case of hexadecimal digits.
 */
export class ContractSketch {
  readonly owner: SketchOwner;
  readonly #byContract = new Map<string, SketchEntry>();
  readonly #entries: SketchEntry[] = [];
  /** Added to last: to compare with it takes less than to find it, and it is called again often. */
  #last: SketchEntry | undefined;

  constructor(owner: SketchOwner) {
    this.owner = owner;
  }

  get size(): number {
    return this.#entries.length;
  }

  /** Most called first, by the most that each can have been called. */
  top(): readonly Readonly<SketchEntry>[] {
    return this.#entries.toSorted((a, b) => b.hits + b.missed - (a.hits + a.missed));
  }

  /** `contract`: in lower case. Returns the entry where it has become due. `mayGrow`: there is memory for another entry. */
  add(contract: string, calls: number, mayGrow: boolean): SketchEntry | undefined {
    const entry = this.#find(contract) ?? this.#admit(contract, mayGrow);
    if (entry === undefined) return undefined;
    this.#last = entry;
    entry.hits += calls;
    return due(entry, calls);
  }

  /** Calls that were added before, and did not reach the store. */
  putBack(contract: string, calls: number, mayGrow: boolean): SketchEntry | undefined {
    const entry = this.#byContract.get(contract);
    return entry === undefined ? this.add(contract, calls, mayGrow) : due(entry, calls);
  }

  #find(contract: string): SketchEntry | undefined {
    const last = this.#last;
    return last?.contract === contract ? last : this.#byContract.get(contract);
  }

  #admit(name: string, mayGrow: boolean): SketchEntry | undefined {
    const contract = ownText(name);
    const grows = mayGrow && this.#entries.length < SKETCH_ENTRIES;
    const entry = grows ? this.#grow(contract) : this.#replaceLeast(contract);
    if (entry !== undefined) this.#byContract.set(contract, entry);
    return entry;
  }

  #grow(contract: string): SketchEntry {
    const none = { hits: 0, missed: 0, unsent: 0, listed: false };
    const entry: SketchEntry = { owner: this.owner, contract, ...none };
    this.#entries.push(entry);
    return entry;
  }

  #replaceLeast(contract: string): SketchEntry | undefined {
    let least = this.#entries[0];
    if (least === undefined) return undefined;
    for (const entry of this.#entries) {
      if (entry.hits + entry.missed < least.hits + least.missed) least = entry;
    }
    this.#byContract.delete(least.contract);
    least.contract = contract;
    least.missed += least.hits;
    least.hits = 0;
    least.unsent = 0;
    return least;
  }
}

/**
 * Due is what was seen more often than it can have been missed: so what is stored is at least half
 * of the truth, and a client that calls ever new contracts does not fill the store with them.
 */
export function isDue(entry: SketchEntry): boolean {
  return entry.unsent > 0 && entry.hits > entry.missed;
}

function due(entry: SketchEntry, calls: number): SketchEntry | undefined {
  entry.unsent += calls;
  if (entry.listed || !isDue(entry)) return undefined;
  entry.listed = true;
  return entry;
}
