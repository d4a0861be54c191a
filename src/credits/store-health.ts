import type { Clock, MonotonicMs } from "../lib/clock.ts";

/** After that it has to be found out again: without calls nothing asks the store. */
const FAILING_MS = 10_000;

/** Tells once when the store begins to fail, and again only after it had answered. */
export class StoreHealth {
  readonly #onFailure: (error: unknown) => void;
  readonly #clock: Pick<Clock, "monotonic">;
  #failedAtMs: MonotonicMs | undefined;
  #isTried = false;

  constructor(onFailure: (error: unknown) => void, clock: Pick<Clock, "monotonic">) {
    this.#onFailure = onFailure;
    this.#clock = clock;
  }

  answered(): void {
    this.#isTried = false;
    this.#failedAtMs = undefined;
  }

  failed(error: unknown): void {
    this.#isTried = false;
    if (this.#failedAtMs === undefined) this.#onFailure(error);
    this.#failedAtMs = this.#clock.monotonic();
  }

  /** While it fails, one at a time: so that one finds out for all whether it works again. */
  mayTry(): boolean {
    if (!this.isFailing) return true;
    if (this.#isTried) return false;
    this.#isTried = true;
    return true;
  }

  /** It failed lately, and did not answer since. */
  get isFailing(): boolean {
    const failedAtMs = this.#failedAtMs;
    return failedAtMs !== undefined && this.#clock.monotonic() - failedAtMs < FAILING_MS;
  }
}
