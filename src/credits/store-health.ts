import type { Clock, MonotonicMs } from "../lib/clock.ts";

/** After that it has to be found out again: without calls nothing asks the store. */
const FAILING_MS = 10_000;

/** Tells once when the store begins to fail, and again only after it had answered. */
export class StoreHealth {
  readonly #onFailure: (error: unknown) => void;
  readonly #clock: Pick<Clock, "monotonic">;
  #failedAtMs: MonotonicMs | undefined;

  constructor(onFailure: (error: unknown) => void, clock: Pick<Clock, "monotonic">) {
    this.#onFailure = onFailure;
    this.#clock = clock;
  }

  answered(): void {
    this.#failedAtMs = undefined;
  }

  failed(error: unknown): void {
    if (this.#failedAtMs === undefined) this.#onFailure(error);
    this.#failedAtMs = this.#clock.monotonic();
  }

  /** It failed lately, and did not answer since. */
  get isFailing(): boolean {
    const failedAtMs = this.#failedAtMs;
    return failedAtMs !== undefined && this.#clock.monotonic() - failedAtMs < FAILING_MS;
  }
}
