import type { Time } from "../lib/clock.ts";
import type { LedgerStore } from "../storage/ledger-store.ts";

/** A write is asked for no more often: each one takes the file's lock and waits for the disk. */
const PROBE_EVERY_MS = 1000;
/** Those who ask for readiness often give up after a second. */
const PATIENCE_MS = 500;

export type StoreProbeParts = {
  readonly store: Pick<LedgerStore, "check">;
  readonly clock: Pick<Time, "monotonic" | "after">;
};

/** Finds out whether the store takes writes, also while no call is served. */
export class StoreProbe {
  readonly #parts: StoreProbeParts;
  #probing: Promise<void> | undefined;
  #probedAtMs = Number.NEGATIVE_INFINITY;
  #isWritable = true;

  constructor(parts: StoreProbeParts) {
    this.#parts = parts;
  }

  /** As a write showed it within the last second. A store that is slow to answer keeps its last state. */
  async isWritable(): Promise<boolean> {
    const isOld = this.#parts.clock.monotonic() - this.#probedAtMs >= PROBE_EVERY_MS;
    if (this.#probing === undefined && isOld) this.#probing = this.#probe();
    if (this.#probing !== undefined) {
      let stopWaiting = (): void => undefined;
      const isOver = new Promise<void>((resolve) => {
        stopWaiting = this.#parts.clock.after(PATIENCE_MS, resolve);
      });
      await Promise.race([this.#probing, isOver]);
      stopWaiting();
    }
    return this.#isWritable;
  }

  async #probe(): Promise<void> {
    const { store, clock } = this.#parts;
    try {
      await store.check();
      this.#isWritable = true;
    } catch {
      this.#isWritable = false;
    }
    this.#probedAtMs = clock.monotonic();
    this.#probing = undefined;
  }
}
