import type { MonotonicMs } from "../lib/clock.ts";
import { type Grant, SHARE_OF_REST } from "../storage/ledger-store.ts";
import type { Ask } from "./lease-taker.ts";

/** Whether other processes draw on an owner, as the store's answers say. */
export class Sharing {
  readonly #onAlone: (agoMs: number, atMs: MonotonicMs) => void;
  #isShared = false;
  #sharedAtMs = 0;

  /** `onAlone`: no other process draws any more; how long ago one still did. */
  constructor(onAlone: (agoMs: number, atMs: MonotonicMs) => void) {
    this.#onAlone = onAlone;
  }

  get isShared(): boolean {
    return this.#isShared;
  }

  /** True where it changed. */
  note(shared: boolean, atMs: MonotonicMs): boolean {
    const changed = shared !== this.#isShared;
    this.#isShared = shared;
    if (shared) this.#sharedAtMs = atMs;
    else if (changed) this.#onAlone(atMs - this.#sharedAtMs, atMs);
    return changed;
  }
}

/** Less was granted than the balance allows: the throughput that is shared is used up. */
export function isScarce({ granted, reserved = 0, left, shared }: Grant, { want }: Ask): boolean {
  const rest = left + reserved + granted;
  return shared && granted < Math.min(want, Math.floor(rest / SHARE_OF_REST));
}
