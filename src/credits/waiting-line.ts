import type { MonotonicMs } from "../lib/clock.ts";

/** A call that waits for credits, and who is told what became of it. */
export type Waiter<Outcome> = {
  readonly credits: number;
  readonly sinceMs: MonotonicMs;
  readonly done: (outcome: Outcome) => void;
};

/** Calls, those first that wait the longest, and what they need together. */
export class WaitingLine<Outcome> {
  readonly #waiters: Waiter<Outcome>[] = [];
  #credits = 0;

  get length(): number {
    return this.#waiters.length;
  }

  get credits(): number {
    return this.#credits;
  }

  get first(): Waiter<Outcome> | undefined {
    return this.#waiters[0];
  }

  /** Nearly always as the last one. */
  push(waiter: Waiter<Outcome>): void {
    const before = this.#waiters.findLastIndex(({ sinceMs }) => sinceMs <= waiter.sinceMs);
    this.#waiters.splice(before + 1, 0, waiter);
    this.#credits += waiter.credits;
  }

  shift(): void {
    this.#credits -= this.#waiters.shift()?.credits ?? 0;
  }

  /** Tells all who came then or before, not those that their going brings in. */
  dismiss(untilMs: MonotonicMs, outcome: Outcome): void {
    for (let count = this.length; count > 0; count -= 1) {
      const { first } = this;
      if (first === undefined || first.sinceMs > untilMs) return;
      this.shift();
      first.done(outcome);
    }
  }
}
