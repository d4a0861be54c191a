import type { Changes } from "../storage/store.ts";
import type { Identity } from "./identity.ts";

/** The ids that changed last are remembered in two halves, of at most so many each. */
const HALF = 5000;

/**
 * What changed in the store of keys lately. Whoever keeps an identity keeps the count of changes at which
 * it was read, and asks here whether it has changed since: a change costs the same with a million keys
 * in memory as with one.
 */
export class RecentChanges {
  #count = 0;
  /** The count of each change, by the id of the key or account. */
  #newer = new Map<string, number>();
  #older = new Map<string, number>();
  #newerSince = 0;
  /** Changes from this count on are remembered. */
  #knownSince = 0;

  /** Grows whenever something has changed. */
  get count(): number {
    return this.#count;
  }

  add({ complete, changes }: Changes): void {
    if (complete && changes.length === 0) return;
    this.#count += 1;
    if (!complete) {
      this.#newer.clear();
      this.#older.clear();
      this.#newerSince = this.#count;
      this.#knownSince = this.#count;
      return;
    }
    if (this.#newer.size >= HALF) this.#forgetOlder();
    for (const { keyId, accountId } of changes) this.#newer.set(keyId ?? accountId, this.#count);
  }

  /** Whether it may have changed since it was read at that count. */
  isStale({ keyId, accountId }: Identity, readAt: number): boolean {
    if (readAt === this.#count) return false;
    if (readAt < this.#knownSince) return true;
    return this.#changedAt(keyId) > readAt || this.#changedAt(accountId) > readAt;
  }

  #changedAt(id: string): number {
    return this.#newer.get(id) ?? this.#older.get(id) ?? 0;
  }

  #forgetOlder(): void {
    this.#knownSince = this.#newerSince;
    this.#newerSince = this.#count;
    this.#older = this.#newer;
    this.#newer = new Map();
  }
}
