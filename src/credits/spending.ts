import type { MonotonicMs } from "../lib/clock.ts";

/** So that a database that is away for 30 seconds is not noticed. */
const LATELY_MS = 40_000;
/** A process that has just started has spent for less long. */
const NOW_MS = 4000;
/** What calls ask for now: each second a process tells it to the others. */
const WANTED_MS = 1000;

/** What one owner spends: each credit counts less the longer ago it was spent. */
export class Spending {
  readonly #lately: Faded;
  readonly #now: Faded;
  readonly #wanted: Faded;
  #total = 0;
  /** Credits that calls asked for since `note`. */
  #asked = 0;

  constructor(atMs: MonotonicMs) {
    this.#lately = new Faded(LATELY_MS, atMs);
    this.#now = new Faded(NOW_MS, atMs);
    this.#wanted = new Faded(WANTED_MS, atMs);
  }

  /** A call asks for so many, whether it gets them or not. */
  ask(credits: number): void {
    this.#asked += credits;
  }

  /** Credits a second that calls ask for, over the last second or so; whole ones. */
  wanted(atMs: MonotonicMs): number {
    this.#wanted.add(this.#asked, atMs);
    this.#asked = 0;
    return Math.ceil(this.#wanted.perSecond);
  }

  /** `total`: all credits that were ever spent. Returns those of about the last 40 seconds, whole ones. */
  note(total: number, atMs: MonotonicMs): number {
    const spent = Math.max(0, total - this.#total);
    this.#total = total;
    this.#now.add(spent, atMs);
    return Math.ceil(this.#lately.add(spent, atMs));
  }

  /** Credits a second, over 40 seconds or the last four, whichever is more. */
  get perSecond(): number {
    return Math.max(this.#lately.perSecond, this.#now.perSecond);
  }
}

class Faded {
  readonly #overMs: number;
  #sum = 0;
  #atMs: MonotonicMs;

  constructor(overMs: number, atMs: MonotonicMs) {
    this.#overMs = overMs;
    this.#atMs = atMs;
  }

  /** Returns what is left of all that was added. */
  add(credits: number, atMs: MonotonicMs): number {
    this.#sum = this.#sum * Math.exp((this.#atMs - atMs) / this.#overMs) + credits;
    this.#atMs = atMs;
    return this.#sum;
  }

  get perSecond(): number {
    return (this.#sum * 1000) / this.#overMs;
  }
}
