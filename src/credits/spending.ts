import type { MonotonicMs } from "../lib/clock.ts";

/** So that a database that is away for 30 seconds is not noticed. */
const LATELY_MS = 40_000;

/** What one owner spends: of about the last 40 seconds, since each credit counts less the longer ago it was spent. */
export class Spending {
  #credits = 0;
  #total = 0;
  #atMs: MonotonicMs;

  constructor(atMs: MonotonicMs) {
    this.#atMs = atMs;
  }

  /** `total`: all credits that were ever spent. Returns those of late, whole ones. */
  note(total: number, atMs: MonotonicMs): number {
    const share = Math.exp((this.#atMs - atMs) / LATELY_MS);
    this.#credits = this.#credits * share + Math.max(0, total - this.#total);
    this.#total = total;
    this.#atMs = atMs;
    return Math.ceil(this.#credits);
  }
}
