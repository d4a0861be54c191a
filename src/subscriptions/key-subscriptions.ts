import type { Identity } from "../access/identity.ts";

/** How many subscriptions are open with each key in this process. */
export class KeySubscriptions {
  readonly #mostOf: (identity: Identity) => number;
  readonly #open = new Map<string, number>();

  /** `mostOf`: as many as the key's plan allows. */
  constructor(mostOf: (identity: Identity) => number) {
    this.#mostOf = mostOf;
  }

  /** Counts one more; returns how many there may be where that is one too many. */
  take(identity: Identity): number | undefined {
    const open = this.#open.get(identity.keyId) ?? 0;
    const most = this.#mostOf(identity);
    if (open >= most) return most;
    this.#open.set(identity.keyId, open + 1);
    return undefined;
  }

  /** How many are open with each key. */
  get byKey(): ReadonlyMap<string, number> {
    return this.#open;
  }

  giveBack(keyId: string): void {
    const open = this.#open.get(keyId) ?? 0;
    if (open > 1) this.#open.set(keyId, open - 1);
    else this.#open.delete(keyId);
  }
}
