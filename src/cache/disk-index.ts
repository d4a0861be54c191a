import type { KeyHash } from "./disk-record.ts";

/** Each grows by itself, so that no growth stands in the way of calls for long. */
const SHARDS = 256;
const FIRST_SLOTS = 16;
/** Also of a very small bound: few slots are filled too unevenly. */
const LEAST_MOST_SLOTS = 64;
/** A slot's words: high word; 16 bits of the low word and of the segment; offset; length (0: free). */
const WORDS = 4;
const MOST_USED = 0.75;

type Shard = { words: Uint32Array; slots: number; used: number };

/** Where a record lies: the low 16 bits of its segment's number, and bytes. */
export type Place = { segment: number; offset: number; length: number };

/**
 * Where each key's record lies, in 16 bytes a slot of open addressing (an object and a Map's entry
 * would take ten times that). A slot whose segment is gone counts as free and ends no search.
 */
export class DiskIndex {
  readonly #shards: Shard[] = [];
  readonly #mostSlots: number;
  readonly #lives: (segment: number) => boolean;

  /** `maxBytes`: of memory, 256 KiB or more. `lives`: whether there is a segment of these 16 bits; never so for 0. */
  constructor(options: { maxBytes: number }, lives: (segment: number) => boolean) {
    this.#lives = lives;
    const slots = options.maxBytes / (WORDS * 4 * SHARDS);
    this.#mostSlots = Math.max(LEAST_MOST_SLOTS, 2 ** Math.floor(Math.log2(slots)));
    for (let at = 0; at < SHARDS; at++) {
      const words = new Uint32Array(FIRST_SLOTS * WORDS);
      this.#shards.push({ words, slots: FIRST_SLOTS, used: 0 });
    }
  }

  /** Memory that it takes. */
  get bytes(): number {
    let bytes = 0;
    for (const shard of this.#shards) bytes += shard.words.byteLength;
    return bytes;
  }

  /** Whether the key has a record; `into` then says where. */
  find(hash: Readonly<KeyHash>, into: Place): boolean {
    const { words } = this.#shard(hash);
    const at = this.#seek(hash);
    if (at < 0) return false;
    into.segment = (words[at + 1] as number) & 0xffff;
    into.offset = words[at + 2] as number;
    into.length = words[at + 3] as number;
    return true;
  }

  /** Puts the key's record in. One that it has already stays, where `older` says that this is older. */
  insert(hash: Readonly<KeyHash>, place: Readonly<Place>, older = false): void {
    const shard = this.#shard(hash);
    let at = this.#seek(hash);
    if (at >= 0 && older) return;
    if (at < 0) at = this.#free(shard, hash);
    const { words } = shard;
    if (words[at + 3] === 0) shard.used++;
    words[at] = hash.high;
    words[at + 1] = ((hash.low & 0xffff0000) | place.segment) >>> 0;
    words[at + 2] = place.offset;
    words[at + 3] = place.length;
    if (shard.used > shard.slots * MOST_USED) this.#renew(shard, place.segment);
  }

  /** Takes the key's record out. */
  erase(hash: Readonly<KeyHash>): void {
    const { words } = this.#shard(hash);
    const at = this.#seek(hash);
    if (at >= 0) words[at + 1] = 0;
  }

  #shard(hash: Readonly<KeyHash>): Shard {
    return this.#shards[hash.high >>> 24] as Shard;
  }

  #seek(hash: Readonly<KeyHash>): number {
    const { words, slots } = this.#shard(hash);
    const mask = slots - 1;
    for (let slot = hash.high & mask; ; slot = (slot + 1) & mask) {
      const at = slot * WORDS;
      if (words[at + 3] === 0) return -1;
      if (words[at] !== hash.high) continue;
      const both = words[at + 1] as number;
      if (both >>> 16 === hash.low >>> 16 && this.#lives(both & 0xffff)) return at;
    }
  }

  /** A slot for a key that has none: a dead one or a free one. */
  #free({ words, slots }: Shard, hash: Readonly<KeyHash>): number {
    const mask = slots - 1;
    for (let slot = hash.high & mask; ; slot = (slot + 1) & mask) {
      const at = slot * WORDS;
      if (words[at + 3] === 0 || !this.#lives((words[at + 1] as number) & 0xffff)) return at;
    }
  }

  /**
   * Without what is dead; twice as large where that leaves less than half free. At the bound the
   * oldest go, so that a search always ends at a free slot. `newest`: the segment written now.
   */
  #renew(shard: Shard, newest: number): void {
    const old = shard.words;
    const age = (at: number): number => (newest - ((old[at + 1] as number) & 0xffff)) & 0xffff;
    let living: number[] = [];
    for (let at = 0; at < old.length; at += WORDS) {
      if (old[at + 3] !== 0 && this.#lives((old[at + 1] as number) & 0xffff)) living.push(at);
    }
    if (living.length > shard.slots * 0.5) {
      if (shard.slots < this.#mostSlots) shard.slots *= 2;
      else living = living.sort((a, b) => age(a) - age(b)).slice(0, shard.slots * 0.625);
    }
    shard.words = new Uint32Array(shard.slots * WORDS);
    shard.used = living.length;
    const mask = shard.slots - 1;
    for (const from of living) {
      let slot = (old[from] as number) & mask;
      while (shard.words[slot * WORDS + 3] !== 0) slot = (slot + 1) & mask;
      shard.words.set(old.subarray(from, from + WORDS), slot * WORDS);
    }
  }
}
