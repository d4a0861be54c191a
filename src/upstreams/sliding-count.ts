import type { MonotonicMs } from "../lib/clock.ts";

/**
 * How many events there were in the last `spanMs`, counted in steps: never fewer than that span
 * holds, at most those of one step more. Its memory is fixed, whatever happens.
 */
export class SlidingCount {
  readonly #counts: Uint32Array;
  readonly #stepMs: number;
  /** The number of the newest step since time began. */
  #step = 0;
  #total = 0;

  constructor(spanMs: number, steps: number) {
    this.#counts = new Uint32Array(steps + 1);
    this.#stepMs = spanMs / steps;
  }

  /** `atMs`: milliseconds that never go back, as in `total`. */
  add(atMs: MonotonicMs): void {
    this.#advance(atMs);
    const index = this.#step % this.#counts.length;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#total += 1;
  }

  total(atMs: MonotonicMs): number {
    this.#advance(atMs);
    return this.#total;
  }

  clear(): void {
    this.#counts.fill(0);
    this.#total = 0;
  }

  #advance(atMs: MonotonicMs): void {
    const step = Math.floor(atMs / this.#stepMs);
    if (step <= this.#step) return;
    if (step - this.#step >= this.#counts.length) this.clear();
    else {
      for (let old = this.#step + 1; old <= step; old += 1) {
        const index = old % this.#counts.length;
        this.#total -= this.#counts[index] ?? 0;
        this.#counts[index] = 0;
      }
    }
    this.#step = step;
  }
}
