import { LRUCache } from "lru-cache";
import { textHash } from "../lib/text-hash.ts";
import { type Tabled, TextTable } from "../lib/text-table.ts";
import type { Account, KeyRecord } from "../storage/store.ts";
import { type Identity, isUnlimited } from "./identity.ts";
import type { UseMark } from "./last-used.ts";

/** What a key takes with its identity and its places in the tables; a test measures all of these. */
const KEY_BYTES = 320;
/** An account of which no other key was read lately. */
const ACCOUNT_BYTES = 250;
const LIMITS_BYTES = 64;
/** Lists that are ready to be asked are larger than their text. */
const ALLOW_BYTES = 1500;
const ALLOW_BYTES_PER_CHARACTER = 12;

/** Keys that are read one after another are often of one account, which is kept once then. */
const SHARED_ACCOUNTS = 1000;

/** A table that outgrows its place is filled anew at once: of so many bytes that takes a millisecond. */
const SHELF_BYTES = 1_048_576;
const MOST_SHELVES = 1024;

/** A key that is known, as it was read from the store. */
export class KnownKey implements Tabled<KnownKey>, UseMark {
  readonly key: string;
  readonly hash: number;
  nextInTable: KnownKey | undefined;
  identity: Identity;
  /** The count of changes at which the identity was last known to be right. */
  readAt = 0;
  recordedAtSeconds = 0;
  /** As it is counted; 0: it is on no shelf. */
  sizeBytes = 0;
  /** It called again since the hand of its shelf came by. */
  isUsed = false;

  constructor(key: string, hash: number, identity: Identity) {
    this.key = key;
    this.hash = hash;
    this.nextInTable = undefined;
    this.identity = identity;
  }
}

/** The keys that a process knows, in bounded memory: one that was not used for long leaves first. */
export class KnownKeys {
  readonly #shelves: readonly Shelf[];
  readonly #accounts = new LRUCache<string, Account>({ max: SHARED_ACCOUNTS });

  constructor(maxBytes: number) {
    const wanted = Math.min(Math.max(1, maxBytes / SHELF_BYTES), MOST_SHELVES);
    const count = 2 ** Math.floor(Math.log2(wanted));
    this.#shelves = Array.from({ length: count }, () => new Shelf(maxBytes / count));
  }

  /** It may have changed since it was read. */
  get(rawKey: string): KnownKey | undefined {
    const hash = textHash(rawKey);
    return this.#shelfOf(hash)?.find(rawKey, hash);
  }

  /** `record`: what the identity was made of. One that is known already is known anew. */
  add(rawKey: string, identity: Identity, { readAt, record }: ReadKey): KnownKey {
    const hash = textHash(rawKey);
    const shelf = this.#shelfOf(hash);
    const sizeBytes = this.#sizeOf(identity, record);
    this.#accounts.set(record.account.id, record.account);
    const known = shelf?.find(rawKey, hash) ?? new KnownKey(rawKey, hash, identity);
    known.identity = identity;
    known.readAt = readAt;
    known.recordedAtSeconds = Math.floor((record.key.lastUsedAt ?? 0) / 1000);
    shelf?.put(known, sizeBytes);
    return known;
  }

  /** The record with an account that other keys have already, where that is the same. */
  withSharedAccount({ key, account }: KeyRecord): KeyRecord {
    const shared = this.#accounts.get(account.id);
    return { key, account: shared !== undefined && isSame(shared, account) ? shared : account };
  }

  /** By the upper bits: a table looks at the lower ones. */
  #shelfOf(hash: number): Shelf | undefined {
    return this.#shelves[(hash >>> 20) & (this.#shelves.length - 1)];
  }

  #sizeOf({ allow }: Identity, { key, account }: KeyRecord): number {
    const isShared = this.#accounts.get(account.id) === account;
    const listed = allow === undefined ? 0 : JSON.stringify(key.allow).length;
    return (
      KEY_BYTES +
      (isShared ? 0 : ACCOUNT_BYTES + account.email.length) +
      (isUnlimited(key.limits) ? 0 : LIMITS_BYTES) +
      (listed === 0 ? 0 : ALLOW_BYTES + ALLOW_BYTES_PER_CHARACTER * listed)
    );
  }
}

function isSame(one: Account, other: Account): boolean {
  return (
    one.plan === other.plan &&
    one.suspended === other.suspended &&
    one.operator === other.operator &&
    one.email === other.email &&
    one.limits.creditsPerDay === other.limits.creditsPerDay &&
    one.limits.creditsPerSecond === other.limits.creditsPerSecond
  );
}

export type ReadKey = { readonly readAt: number; readonly record: KeyRecord };

/** A part of the keys. They stand in a ring, whose hand passes by those that called again since it came last. */
class Shelf {
  readonly #maxBytes: number;
  readonly #table = new TextTable<KnownKey>();
  readonly #ring: KnownKey[] = [];
  #hand = 0;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  find(key: string, hash: number): KnownKey | undefined {
    return this.#table.find(key, hash);
  }

  /** Also one that is here already, of another size. */
  put(known: KnownKey, sizeBytes: number): void {
    const isNew = known.sizeBytes === 0;
    this.#bytes += sizeBytes - known.sizeBytes;
    known.sizeBytes = sizeBytes;
    if (isNew) {
      this.#table.add(known);
      this.#ring.push(known);
    }
    while (this.#bytes > this.#maxBytes) this.#takeOut();
  }

  #takeOut(): void {
    for (;;) {
      if (this.#hand >= this.#ring.length) this.#hand = 0;
      const known = this.#ring[this.#hand];
      if (known === undefined) return;
      if (known.isUsed) {
        known.isUsed = false;
        this.#hand += 1;
        continue;
      }
      const last = this.#ring.pop();
      if (last !== undefined && last !== known) this.#ring[this.#hand] = last;
      // What came last is looked at when the hand has gone round.
      this.#hand += 1;
      this.#table.remove(known);
      this.#bytes -= known.sizeBytes;
      return;
    }
  }
}
