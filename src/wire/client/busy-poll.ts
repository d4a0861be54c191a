import type { Clock } from "../../lib/clock.ts";

/** A node is near where most of its answers begin within this time; no answer is waited for longer. */
export const NEAR_MS = 0.3;
/** With more answers to come, something always comes: what is busy anyway does not fall asleep. */
const MOST_AWAITED = 2;
/** The largest share of its time that a process spends on this, and the longest it does so at once. */
const SHARE = 1 / 3;
const MOST_AT_ONCE_MS = 5;
const WEIGHT = 1 / 8;

/** How soon a node's answers begin, by the last dozen of them. */
export class Nearness {
  #shareOfSoon = 0;

  get isNear(): boolean {
    return this.#shareOfSoon > 0.5;
  }

  answered(tookMs: number): void {
    this.#shareOfSoon += ((tookMs < NEAR_MS ? 1 : 0) - this.#shareOfSoon) * WEIGHT;
  }
}

export type BusyPollParts = {
  readonly clock: Pick<Clock, "monotonic">;
  /** Without one, what is spent here is taken from others: from the node, it may be. */
  readonly hasSpareCore: boolean;
  /** Runs it after the event loop has looked for what came, without having slept. */
  readonly again: (poll: () => void) => void;
};

/**
 * Keeps the event loop awake for answers of nodes that are near. To wake a core that is halted takes
 * about 50 us, and up to 70 in virtual machines: half as long as a node on the same machine takes for a
 * call. So as long as one or two of its calls are in flight, the loop looks for what came again and
 * again in place of sleeping, within bounds of time.
 */
export class BusyPoll {
  readonly #parts: BusyPollParts;
  #awaited = 0;
  #isPolling = false;
  #beganMs = 0;
  #untilMs = 0;
  #mayTakeMs = MOST_AT_ONCE_MS;

  constructor(parts: BusyPollParts) {
    this.#parts = parts;
  }

  /** A request goes to a node that is near; `ended` follows, whatever becomes of it. */
  began(): void {
    this.#awaited += 1;
    if (!this.#parts.hasSpareCore || this.#awaited > MOST_AWAITED) return;
    const now = this.#parts.clock.monotonic();
    this.#untilMs = now + NEAR_MS;
    if (this.#isPolling) return;
    const earnedMs = (now - this.#beganMs) * SHARE;
    this.#mayTakeMs = Math.min(this.#mayTakeMs + earnedMs, MOST_AT_ONCE_MS);
    this.#beganMs = now;
    if (this.#mayTakeMs < NEAR_MS) return;
    this.#isPolling = true;
    this.#parts.again(this.#poll);
  }

  ended(): void {
    this.#awaited -= 1;
  }

  readonly #poll = (): void => {
    const now = this.#parts.clock.monotonic();
    const tookMs = now - this.#beganMs;
    const isAwaited = this.#awaited > 0 && this.#awaited <= MOST_AWAITED;
    if (isAwaited && now < this.#untilMs && tookMs < this.#mayTakeMs) {
      this.#parts.again(this.#poll);
      return;
    }
    this.#isPolling = false;
    this.#mayTakeMs -= tookMs;
  };
}
