import type { Timer, Timers } from "../lib/timer-wheel.ts";

/** How long a node is not sent again what it did not take. */
const LOWERED_MS = 600_000;

/** How many calls a node is sent at once: as configured, or what it has shown to take. */
export class BatchLimit {
  /** 1: it is sent no batches. */
  most: number;
  readonly #configured: number;
  readonly #timers: Timers;
  #timer: Timer | undefined;

  constructor(configured: number, timers: Timers) {
    this.most = configured;
    this.#configured = configured;
    this.#timers = timers;
  }

  /** It did not take more than so many: for 10 minutes it is sent no more. */
  lower(most: number): void {
    if (most >= this.most && this.#timer !== undefined) return;
    this.reset();
    this.most = Math.max(most, 1);
    this.#timer = this.#timers.set(LOWERED_MS, () => this.reset());
  }

  /** As configured, from now on. */
  reset(): void {
    if (this.#timer !== undefined) this.#timers.clear(this.#timer);
    this.#timer = undefined;
    this.most = this.#configured;
  }
}
