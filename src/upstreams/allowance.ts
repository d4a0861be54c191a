import type { Clock, MonotonicMs } from "../lib/clock.ts";
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
/** A lower limit has no call to spare. */
const LEAST_SHARED = 2;

/**
 * How many calls a node may get: never more in any second than its limit (below one a second: in
 * the time that one call takes of it). A node that says "too many" is left alone for as long as it
 * asks, then gets half as many as before, and each second a tenth more of what it had.
 *
 * The gateway's own questions count, but are never held back: without them its head stands still.
 * Clients leave one call of each second for them, since a node may refuse what exceeds its limit.
 */
export class Allowance {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #limit: number;
  readonly #spanSeconds: number;
  readonly #taken: SlidingCount;
  #ownAtMs = Number.NEGATIVE_INFINITY;
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

  /** Counts a client's call, whether or not it exceeds the limit. */
  take(now: MonotonicMs = this.#clock.monotonic()): void {
    this.#taken.add(now);
  }

  /** Counts a question of the gateway's own. */
  takeOwn(now: MonotonicMs = this.#clock.monotonic()): void {
    this.#taken.add(now);
    this.#ownAtMs = now;
  }

  /** Whether a client's call has to go elsewhere. */
  isLimited(): boolean {
    const isFree = this.#limit === this.#lowered && this.#limit === Number.POSITIVE_INFINITY;
    return !isFree && this.#isLimitedAt(this.#clock.monotonic());
  }

  /** Whether the node asked to be left alone for now. */
  isPaused(): boolean {
    return this.#clock.monotonic() < this.#pausedUntilMs;
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

  #isLimitedAt(now: MonotonicMs): boolean {
    if (now < this.#pausedUntilMs) return true;
    const most = this.#rateAt(now) * this.#spanSeconds;
    if (most === Number.POSITIVE_INFINITY) return false;
    const isOwnDue = now - this.#ownAtMs >= this.#spanSeconds * 1000;
    const kept = most >= LEAST_SHARED && isOwnDue ? 1 : 0;
    return this.#taken.total(now) + 1 + kept > most;
  }

  /** Calls a second. */
  #rateAt(now: MonotonicMs): number {
    if (this.#lowered === Number.POSITIVE_INFINITY) return this.#limit;
    const seconds = Math.max(0, now - this.#pausedUntilMs) / 1000;
    return Math.min(this.#limit, this.#lowered + this.#growthPerSecond * seconds);
  }
}
