import type { UnixMs } from "../lib/clock.ts";
import type { KeyStore, KeyUse } from "../storage/store.ts";

/** When keys were last used, written in the background: at most once a minute for each key. */
const RECORD_EVERY_MS = 60_000;
/** With each flush. The ledger's questions wait behind one write; and where a million keys call, a mark may be late. */
const KEYS_PER_FLUSH = 250;
/** More wait for the store no more: their next call marks them. */
const MOST_DUE = 10_000;

/** One key's mark; `recordedAtSeconds`, Unix time, is what the store has, or is about to get. A small integer takes no object. */
export type UseMark = { readonly identity: { readonly keyId: string }; recordedAtSeconds: number };

export class LastUsed {
  readonly #keys: Pick<KeyStore, "recordUse">;
  readonly #due = new Map<string, number>();
  #flushing: Promise<void> | undefined;

  constructor(keys: Pick<KeyStore, "recordUse">) {
    this.#keys = keys;
  }

  /** On the path of every call: a comparison, mostly. */
  mark(use: UseMark, now: UnixMs): void {
    const isRecent = now - use.recordedAtSeconds * 1000 < RECORD_EVERY_MS;
    if (isRecent || this.#due.size >= MOST_DUE) return;
    use.recordedAtSeconds = Math.floor(now / 1000);
    this.#due.set(use.identity.keyId, now);
  }

  /** Writes what has been due for longest, once at a time; what fails is due again. Never rejects. */
  flush(): Promise<void> {
    if (this.#flushing === undefined && this.#due.size > 0) {
      this.#flushing = this.#write().finally(() => {
        this.#flushing = undefined;
      });
    }
    return this.#flushing ?? Promise.resolve();
  }

  /** Writes all that is due, as far as the store takes it. */
  async stop(): Promise<void> {
    await this.#flushing;
    for (let left = Number.POSITIVE_INFINITY; this.#due.size > 0 && this.#due.size < left; ) {
      left = this.#due.size;
      await this.flush();
    }
  }

  async #write(): Promise<void> {
    const uses: KeyUse[] = [];
    for (const [id, at] of this.#due) {
      uses.push({ id, at });
      if (uses.length === KEYS_PER_FLUSH) break;
    }
    for (const { id } of uses) this.#due.delete(id);
    try {
      await this.#keys.recordUse(uses);
    } catch {
      // The authenticator's own questions report that the store fails.
      for (const { id, at } of uses) if (!this.#due.has(id)) this.#due.set(id, at);
    }
  }
}
