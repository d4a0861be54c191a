/** A process that ran this long did not fail at start-up. */
const STEADY_MS = 10_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;

/**
 * How long to wait before a process or thread that has ended is replaced: not at all, but twice as
 * long each time where they end soon after they began.
 */
export class RestartPause {
  readonly #longestMs: number;
  #early = 0;

  constructor(longestMs = LONGEST_PAUSE_MS) {
    this.#longestMs = longestMs;
  }

  /** Milliseconds until the next start. `servedMs`: how long the one that ended had served. */
  after(servedMs: number): number {
    if (servedMs >= STEADY_MS) this.#early = 0;
    this.#early += 1;
    if (this.#early === 1) return 0;
    return Math.min(FIRST_PAUSE_MS * 2 ** (this.#early - 2), this.#longestMs);
  }
}
