import type { MonotonicMs } from "../lib/clock.ts";
import type { Grant, LedgerStore, TakeRequest } from "../storage/store.ts";
import type { StoreHealth } from "./store-health.ts";

/** A call waits no longer for the store: a node may need 8 s, and clients give up at 10. */
export const PATIENCE_MS = 2000;

/** `ahead`: before any call waits for it. */
export type Ask = { readonly least: number; readonly want: number; readonly ahead: boolean };

export type TakerParts = {
  readonly store: Pick<LedgerStore, "take">;
  readonly health: StoreHealth;
  /** Undefined where the store could not answer. */
  readonly answered: (grant: Grant | undefined, ask: Ask) => void;
};

/** Asks the store for one owner's credits, one statement at a time. */
export class LeaseTaker {
  readonly #parts: TakerParts;
  #inTheAir = false;
  #sentAtMs = 0;

  constructor(parts: TakerParts) {
    this.#parts = parts;
  }

  take(ask: Ask, rest: Omit<TakeRequest, "least" | "want">, atMs: MonotonicMs): void {
    const { store, health, answered } = this.#parts;
    this.#inTheAir = true;
    this.#sentAtMs = atMs;
    store.take({ ...rest, least: ask.least, want: ask.want }).then(
      (grant) => {
        this.#inTheAir = false;
        health.answered();
        answered(grant, ask);
      },
      (error: unknown) => {
        this.#inTheAir = false;
        health.failed(error);
        answered(undefined, ask);
      },
    );
  }

  get isTaking(): boolean {
    return this.#inTheAir;
  }

  /** When the last question was sent. */
  get sentAtMs(): number {
    return this.#sentAtMs;
  }

  /** The store is so late that nobody should wait for it. */
  isStalled(atMs: MonotonicMs): boolean {
    return this.#inTheAir && atMs - this.#sentAtMs >= PATIENCE_MS;
  }
}
