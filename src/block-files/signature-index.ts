import { BlockFilesFault } from "./block-files-fault.ts";
import { readMembers, readSignatures, within } from "./stored-block.ts";

/** The files that the index is made from. */
export type IndexedFiles = {
  /** Rising; the same array as long as nothing changed. @throws BlockFilesFault */
  readonly slots: () => readonly number[];
  /** @throws BlockFilesFault */
  readonly blockText: (slot: number) => string | undefined;
};

const FIRST_CAPACITY = 1 << 12;

/**
 * Signature to slot, made block by block, newest first, as far as look-ups need it. A signature is
 * kept as its first 8 bytes, in 12 bytes at no less than a third full: what is found is a place to
 * look, which the block itself has to confirm.
 */
export class SignatureIndex {
  readonly #files: IndexedFiles;
  readonly #known = new Set<number>();
  /** The files that could not be read, with the reason; tried again by `retry`. */
  readonly #faulty = new Map<number, BlockFilesFault>();
  #listed: readonly number[] | undefined;
  /** Rising, so that the newest is at the end. */
  #pending: number[] = [];
  readonly #table = new PrefixTable();

  constructor(files: IndexedFiles) {
    this.#files = files;
  }

  /** Slots of the blocks so far that may hold the signature. */
  slotsOf(signature: Uint8Array): readonly number[] {
    return this.#table.find(signature);
  }

  /** Takes in one more block; false where all that there are have been taken in. @throws BlockFilesFault */
  step(): boolean {
    this.#list();
    const slot = this.#pending.pop();
    if (slot === undefined) return false;
    this.#known.add(slot);
    try {
      const text = this.#files.blockText(slot);
      if (text !== undefined) within(`block ${slot}`, () => this.#add(slot, text));
      this.#faulty.delete(slot);
    } catch (error) {
      if (!(error instanceof BlockFilesFault)) throw error;
      this.#faulty.set(slot, error);
    }
    return true;
  }

  #add(slot: number, text: string): void {
    for (const signature of readSignatures(readMembers(text))) this.#table.add(signature, slot);
  }

  /** Has blocks that could not be read tried again: they may have been replaced. */
  retry(): void {
    for (const slot of this.#faulty.keys()) {
      if (this.#known.delete(slot)) this.#pending.push(slot);
    }
  }

  /** The fault of a block that could not be read: it may hold the signature that was not found. */
  get fault(): BlockFilesFault | undefined {
    const [first] = this.#faulty.values();
    return first;
  }

  #list(): void {
    const listed = this.#files.slots();
    if (listed === this.#listed) return;
    this.#listed = listed;
    this.#pending = listed.filter((slot) => !this.#known.has(slot));
    for (const slot of this.#faulty.keys()) if (!listed.includes(slot)) this.#faulty.delete(slot);
  }
}

/** A hash table in typed arrays: a Map would take ten times the memory. */
class PrefixTable {
  /** Three numbers an entry: the prefix's two halves, and 1 + the slot's place in `slots`; 0 is free. */
  #entries = new Uint32Array(FIRST_CAPACITY * 3);
  #capacity = FIRST_CAPACITY;
  #size = 0;
  readonly #slots: number[] = [];

  add(signature: Uint8Array, slot: number): void {
    if (this.#slots.at(-1) !== slot) this.#slots.push(slot);
    if ((this.#size + 1) * 3 > this.#capacity * 2) this.#grow();
    const [low, high] = halves(signature);
    this.#put(low, high, this.#slots.length);
    this.#size += 1;
  }

  find(signature: Uint8Array): readonly number[] {
    const [low, high] = halves(signature);
    const found = new Set<number>();
    for (let place = this.#home(low); ; place = this.#next(place)) {
      const slot = this.#slots[(this.#entries[place + 2] ?? 0) - 1];
      if (slot === undefined) return [...found];
      if (this.#entries[place] === low && this.#entries[place + 1] === high) found.add(slot);
    }
  }

  #put(low: number, high: number, slotPlace: number): void {
    let place = this.#home(low);
    while (this.#entries[place + 2] !== 0) place = this.#next(place);
    this.#entries.set([low, high, slotPlace], place);
  }

  #grow(): void {
    const old = this.#entries;
    this.#capacity *= 2;
    this.#entries = new Uint32Array(this.#capacity * 3);
    for (let place = 0; place < old.length; place += 3) {
      const slotPlace = old[place + 2] ?? 0;
      if (slotPlace !== 0) this.#put(old[place] ?? 0, old[place + 1] ?? 0, slotPlace);
    }
  }

  /** Signatures are as good as random, so that their bytes are the hash. */
  #home(low: number): number {
    return (low % this.#capacity) * 3;
  }

  #next(place: number): number {
    return (place + 3) % this.#entries.length;
  }
}

function halves(signature: Uint8Array): readonly [number, number] {
  const view = new DataView(signature.buffer, signature.byteOffset, 8);
  return [view.getUint32(0, true), view.getUint32(4, true)];
}
