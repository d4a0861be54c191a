import type { UnixMs } from "../lib/clock.ts";
import type { KeyStore, KeyUse } from "../storage/store.ts";

/** When keys were last used, written in the background: at most once a minute for each key. */
const RECORD_EVERY_MS = 60_000;
/** The ledger's questions wait behind one write. */
const KEYS_PER_WRITE = 1000;

/** One key's mark; `recordedAt` is what the store has, or is about to get. */
export type UseMark = { readonly keyId: string; recordedAt: number };

export class LastUsed {
  readonly #keys: Pick<KeyStore, "recordUse">;
  #due = new Map<string, number>();
  #flushing: Promise<void> | undefined;

  constructor(keys: Pick<KeyStore, "recordUse">) {
    this.#keys = keys;
  }

  /** On the path of every call: a comparison, mostly. */
  mark(use: UseMark, now: UnixMs): void {
    if (now - use.recordedAt < RECORD_EVERY_MS) return;
    use.recordedAt = now;
    this.#due.set(use.keyId, now);
  }

  /** Writes what is due, once at a time; what fails is due again. Never rejects. */
  flush(): Promise<void> {
    if (this.#flushing === undefined && this.#due.size > 0) {
      this.#flushing = this.#write().finally(() => {
        this.#flushing = undefined;
      });
    }
    return this.#flushing ?? Promise.resolve();
  }

  async #write(): Promise<void> {
    const due = this.#due;
    this.#due = new Map();
    const uses: KeyUse[] = Array.from(due, ([id, at]) => ({ id, at }));
    try {
      for (let from = 0; from < uses.length; from += KEYS_PER_WRITE) {
        await this.#keys.recordUse(uses.slice(from, from + KEYS_PER_WRITE));
      }
    } catch {
      // The authenticator's own questions report that the store fails.
      this.#due = new Map([...due, ...this.#due]);
    }
  }
}
