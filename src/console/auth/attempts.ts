import type { Clock, UnixMs } from "../../lib/clock.ts";

const FREE_ATTEMPTS = 5;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 900_000;
const FORGOTTEN_MS = 86_400_000;

/** Attempts that failed, and when the last one was counted. */
export type Tries = { readonly count: number; readonly lastMs: UnixMs };

export type AttemptStore = {
  /** Writes what `next` makes of what is known; undefined: nothing. One step, whoever else writes. */
  readonly change: (
    name: string,
    next: (known: Tries | undefined) => Tries | undefined,
  ) => Promise<void>;
  readonly forget: (name: string) => Promise<void>;
  /** Forgets those whose last attempt was counted up to then. */
  readonly prune: (beforeMs: UnixMs) => Promise<void>;
};

/**
 * Attempts that failed, by name: five are free, then each next one has to wait, twice as long each time,
 * from a second up to a quarter of an hour. Whether a name exists makes no difference. They are kept
 * beside the users for a day, so that a restart forgives nothing.
 */
export class Attempts {
  readonly #store: AttemptStore;
  readonly #clock: Pick<Clock, "now">;

  constructor(store: AttemptStore, clock: Pick<Clock, "now">) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Counts an attempt, before it is known whether it fails; or milliseconds to wait, above 0. */
  async begin(name: string): Promise<number> {
    const nowMs = this.#clock.now();
    await this.#store.prune(nowMs - FORGOTTEN_MS);
    let leftMs = 0;
    await this.#store.change(name, (known) => {
      const { count, lastMs } = known ?? { count: 0, lastMs: 0 };
      const waitMs = waitAfter(count);
      // A clock that was set back must not make it longer.
      leftMs = count < FREE_ATTEMPTS ? 0 : Math.max(Math.min(lastMs + waitMs - nowMs, waitMs), 0);
      return leftMs > 0 ? undefined : { count: count + 1, lastMs: nowMs };
    });
    return leftMs;
  }

  /** It was right. */
  forget(name: string): Promise<void> {
    return this.#store.forget(name);
  }
}

function waitAfter(count: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** Math.max(count - FREE_ATTEMPTS, 0), LONGEST_WAIT_MS);
}
