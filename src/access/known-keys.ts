import { LRUCache } from "lru-cache";
import type { Account, KeyRecord } from "../storage/store.ts";
import { type Identity, isUnlimited } from "./identity.ts";
import type { UseMark } from "./last-used.ts";

/** What a key takes with its identity and its places in the tables; a test measures all of these. */
const KEY_BYTES = 420;
/** An account of which no other key was read lately. */
const ACCOUNT_BYTES = 250;
const LIMITS_BYTES = 64;
/** Lists that are ready to be asked are larger than their text. */
const ALLOW_BYTES = 1500;
const ALLOW_BYTES_PER_CHARACTER = 12;

/** Keys that are read one after another are often of one account, which is kept once then. */
const SHARED_ACCOUNTS = 1000;

/** `readAt`: the count of changes at which the identity was last known to be right. */
export type KnownKey = UseMark & { readonly identity: Identity; readAt: number };

/** The keys that a process knows, in bounded memory: the one that was not used for longest leaves first. */
export class KnownKeys {
  readonly #keys: LRUCache<string, KnownKey>;
  readonly #accounts = new LRUCache<string, Account>({ max: SHARED_ACCOUNTS });

  constructor(maxBytes: number) {
    this.#keys = new LRUCache({ maxSize: maxBytes });
  }

  get(rawKey: string): KnownKey | undefined {
    return this.#keys.get(rawKey);
  }

  drop(rawKey: string): void {
    this.#keys.delete(rawKey);
  }

  /** `record`: what the identity was made of. */
  add(rawKey: string, known: KnownKey, { key, account }: KeyRecord): void {
    const allow = known.identity.allow === undefined ? 0 : JSON.stringify(key.allow).length;
    const size =
      KEY_BYTES +
      (this.#accounts.get(account.id) === account ? 0 : ACCOUNT_BYTES + account.email.length) +
      (isUnlimited(key.limits) ? 0 : LIMITS_BYTES) +
      (allow === 0 ? 0 : ALLOW_BYTES + ALLOW_BYTES_PER_CHARACTER * allow);
    this.#accounts.set(account.id, account);
    this.#keys.set(rawKey, known, { size });
  }

  /** The record with an account that other keys have already, where that is the same. */
  withSharedAccount({ key, account }: KeyRecord): KeyRecord {
    const shared = this.#accounts.get(account.id);
    return { key, account: shared !== undefined && isSame(shared, account) ? shared : account };
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
