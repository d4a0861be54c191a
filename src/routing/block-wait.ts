import type { MonotonicMs } from "../lib/clock.ts";
import type { Timer } from "../lib/timer-wheel.ts";
import type { Upstream } from "../upstreams/upstream.ts";
import { LEAST_ATTEMPT_MS } from "./attempt-times.ts";
import type { FetchOutcome, FlightParts, RoutedNeed } from "./routing.ts";

/** How long a primary is waited for where a partner may answer, or null may be the answer. */
const SHORT_MS = 1000;
/** How long a node is asked again that lost the block, where no other one is about to get it. */
const LOST_MS = 2000;
/** After this, then after twice as long each time up to a second, a node is asked again that lost the block. */
const AGAIN_MS = 200;
const LONGEST_AGAIN_MS = 1000;
/** For the answer to the last of these questions. */
const LAST_ANSWER_MS = 100;

export type BlockWaitOptions = {
  readonly need: RoutedNeed;
  /** The deadline of the call, monotonic milliseconds. */
  readonly deadlineMs: MonotonicMs;
  /** The wait is over; `isAgain`: whoever did not have the block may have it now. */
  readonly over: (isAgain: boolean) => void;
};

/**
 * A call's wait for a block that no node had when it was asked: one that is behind may get it, and
 * one that was known to have it may get it again. That one left it in a reorganisation, or is one
 * of several nodes behind one address.
 */
export class BlockWait {
  readonly #options: BlockWaitOptions;
  readonly #parts: FlightParts;
  readonly #beganMs: number;
  #timer: Timer | undefined;
  #againMs = AGAIN_MS;
  #lost: FetchOutcome | undefined;

  constructor(options: BlockWaitOptions, parts: FlightParts) {
    this.#options = options;
    this.#parts = parts;
    this.#beganMs = parts.clock.monotonic();
  }

  /** The first answer of a node that lost the block. */
  get lost(): FetchOutcome | undefined {
    return this.#lost;
  }

  /** False where there is nothing to wait for, or the time is over. `lost`: see `Findings`. */
  begin(lost: FetchOutcome | undefined, isShort: boolean): boolean {
    const { need, deadlineMs } = this.#options;
    const { clock, primaries, timers, waiting } = this.#parts;
    if (this.#timer !== undefined) return true;
    this.#lost ??= lost;
    const isLost = this.#lost !== undefined;
    const canCome = primaries.some(
      (each) => (each.state === "ready" && each.head < need.block) || (isShort && isJoining(each)),
    );
    if (!isLost && !canCome) return false;
    const endMs = deadlineMs - (isLost ? LAST_ANSWER_MS : LEAST_ATTEMPT_MS);
    const longestMs = canCome ? Number.POSITIVE_INFINITY : LOST_MS;
    const waitMs = isShort ? SHORT_MS : longestMs;
    const leftMs = Math.min(this.#beganMs + waitMs, endMs) - clock.monotonic();
    if (leftMs <= 0) return false;
    waiting.add(this);
    const delayMs = isLost ? Math.min(this.#againMs, leftMs) : leftMs;
    if (isLost) this.#againMs = Math.min(this.#againMs * 2, LONGEST_AGAIN_MS);
    this.#timer = timers.set(delayMs, () => this.#end(isLost));
    return true;
  }

  /** Some node got further. */
  wake(): void {
    const { need } = this.#options;
    if (this.#parts.primaries.some(({ head }) => head >= need.block)) this.#end(true);
  }

  stop(): void {
    if (this.#timer !== undefined) this.#parts.timers.clear(this.#timer);
    this.#timer = undefined;
    this.#parts.waiting.delete(this);
  }

  #end(isAgain: boolean): void {
    this.stop();
    this.#options.over(isAgain);
  }
}

/** Whether it is being found out where its new head joins the chain: the node may well have the block. */
function isJoining({ state, forkedAfter }: Upstream): boolean {
  return state === "on another fork" && forkedAfter === Number.POSITIVE_INFINITY;
}
