import type { MonotonicMs, Time } from "../lib/clock.ts";
import type { FleetStore } from "../storage/fleet-store.ts";
import type { Logger } from "../telemetry/log.ts";

/** All that misses something finds that out within seconds, and is told of once. */
const ONCE_MS = 60_000;
const RETRY_MS = 1000;

export type LostCommitsParts = {
  readonly store: Pick<FleetStore, "tellLoss">;
  readonly clock: Pick<Time, "now" | "monotonic" | "after">;
  readonly log: Pick<Logger, "error">;
};

const TEXT =
  "the storage misses what it had committed: credits, accounts and keys may be those of before";

/**
 * Tells all gateways that the storage misses what it had committed before, as after a failover to a standby that was
 * behind, or when a copy was restored under gateways that run.
 */
export class LostCommits {
  readonly #parts: LostCommitsParts;
  #foundAtMs: MonotonicMs | undefined;
  #stopRetry: () => void = () => undefined;

  constructor(parts: LostCommitsParts) {
    this.#parts = parts;
  }

  /** To be called by whoever misses something. */
  readonly found = (): void => {
    const atMs = this.#parts.clock.monotonic();
    if (this.#foundAtMs !== undefined && atMs - this.#foundAtMs < ONCE_MS) return;
    this.#foundAtMs = atMs;
    this.#parts.log.error(TEXT);
    this.#tell();
  };

  stop(): void {
    this.#stopRetry();
  }

  #tell(): void {
    const { store, clock } = this.#parts;
    store.tellLoss(clock.now()).catch(() => {
      this.#stopRetry = clock.after(RETRY_MS, () => this.#tell());
    });
  }
}
