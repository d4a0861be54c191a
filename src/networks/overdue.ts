import type { Clock, MonotonicMs } from "../lib/clock.ts";
import type { Timer, Timers } from "../lib/timer-wheel.ts";

export type OverdueParts = {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  /** Told when the time is over. */
  readonly over: () => void;
};

/** Whether something has lasted for a time without a break. */
export class Overdue {
  readonly #afterMs: number;
  readonly #parts: OverdueParts;
  #sinceMs: MonotonicMs | undefined;
  #timer: Timer | undefined;

  constructor(afterMs: number, parts: OverdueParts) {
    this.#afterMs = afterMs;
    this.#parts = parts;
  }

  /** It does not last. */
  reset(): void {
    this.#sinceMs = undefined;
    if (this.#timer !== undefined) this.#parts.timers.clear(this.#timer);
    this.#timer = undefined;
  }

  /** It lasts; the time runs from the first of these calls. */
  isOver(): boolean {
    const now = this.#parts.clock.monotonic();
    this.#sinceMs ??= now;
    const leftMs = this.#sinceMs + this.#afterMs - now;
    if (leftMs <= 0) return true;
    this.#timer ??= this.#parts.timers.set(leftMs, () => {
      this.#timer = undefined;
      this.#parts.over();
    });
    return false;
  }
}
