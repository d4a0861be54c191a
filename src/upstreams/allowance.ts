import type { Clock } from "../lib/clock.ts";
import { SlidingCount } from "./sliding-count.ts";

export type AllowanceOptions = {
  /** The operator's limit; without it only what the node itself asks for. */
  readonly requestsPerSecond?: number | undefined;
};

/** In steps of a fiftieth, so that 98 % of a limit can be used at the least. */
const STEPS = 50;
const PAUSE_MS = 1000;
/** A vendor that says an hour may mean one key of many; and a minute costs little to find out. */
const LONGEST_PAUSE_MS = 60_000;
/** Calls that were in the air together are refused together: that is one refusal. */
const ONE_REFUSAL_MS = 1000;

/**
 * How many calls a node may get: never more in any second than its limit (below one a second: in
 * the time that one call takes of it). A node that says "too many" is left alone for as long as it
 * asks, then gets half as many as before, and each second a tenth more of what it had.
 */
export class Allowance {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #limit: number;
  readonly #spanSeconds: number;
  readonly #taken: SlidingCount;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  /** Calls a second at the end of the last pause; Infinity where the node never said a word. */
  #lowered = Number.POSITIVE_INFINITY;
  #loweredAtMs = Number.NEGATIVE_INFINITY;
  #growthPerSecond = 0;

  constructor({ requestsPerSecond }: AllowanceOptions, clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
    this.#limit = requestsPerSecond ?? Number.POSITIVE_INFINITY;
    this.#spanSeconds = Math.max(1, 1 / this.#limit);
    this.#taken = new SlidingCount(this.#spanSeconds * 1000, STEPS);
  }

  /** False, and nothing taken, where the call has to go elsewhere. */
  tryTake(now: number = this.#clock.monotonic()): boolean {
    if (this.#isLimitedAt(now)) return false;
    this.#taken.add(now);
    return true;
  }

  /** Counts a call that is sent whatever the limit, because nobody else is left to ask. */
  take(now: number = this.#clock.monotonic()): void {
    this.#taken.add(now);
  }

  /** Whether `tryTake` would refuse. */
  isLimited(): boolean {
    const isFree = this.#limit === this.#lowered && this.#limit === Number.POSITIVE_INFINITY;
    return !isFree && this.#isLimitedAt(this.#clock.monotonic());
  }

  /** The node refused a call because there were too many (HTTP 429 and its kin). */
  limited(retryAfterMs: number = PAUSE_MS): void {
    const now = this.#clock.monotonic();
    const rateBefore = this.#rateAt(now);
    const untilMs = now + Math.min(retryAfterMs, LONGEST_PAUSE_MS);
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs);
    if (now - this.#loweredAtMs < ONE_REFUSAL_MS) return;
    const least = Math.min(1, this.#limit);
    // In a pause nothing is seen of the rate; then what was allowed is what there is to halve.
    const known = Number.isFinite(this.#lowered) ? this.#lowered : least;
    const seen = Math.max(this.#taken.total(now) / this.#spanSeconds, known);
    const rate = Math.min(seen, rateBefore);
    this.#lowered = Math.max(rate / 2, least);
    this.#growthPerSecond = Math.max(rate / 10, least);
    this.#loweredAtMs = now;
  }

  #isLimitedAt(now: number): boolean {
    if (now < this.#pausedUntilMs) return true;
    const most = this.#rateAt(now) * this.#spanSeconds;
    return most !== Number.POSITIVE_INFINITY && this.#taken.total(now) + 1 > most;
  }

  /** Calls a second. */
  #rateAt(now: number): number {
    if (this.#lowered === Number.POSITIVE_INFINITY) return this.#limit;
    const seconds = Math.max(0, now - this.#pausedUntilMs) / 1000;
    return Math.min(this.#limit, this.#lowered + this.#growthPerSecond * seconds);
  }
}
