import type { Clock } from "../../lib/clock.ts";
import type { Timers } from "../../lib/timer-wheel.ts";
import { Overdue } from "../overdue.ts";
import { isHealthy, type TrackedUpstream } from "../tracked-upstream.ts";

/** From what a node has just seen to what can never be undone. */
export const COMMITMENTS = ["processed", "confirmed", "finalized"] as const;
export type Commitment = (typeof COMMITMENTS)[number];
export type Slots = Readonly<Record<Commitment, number>>;

/** design.md, "heads": so long a head stays although no healthy node has it. */
const FALL_BACK_MS = 30_000;
const NONE: Slots = Object.freeze({ processed: -1, confirmed: -1, finalized: -1 });

export type SlotHeadsParts = {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  readonly upstreams: readonly TrackedUpstream[];
  /** Told when a head went up, or fell back. */
  readonly changed: () => void;
};

/**
 * The network's own heads, one for each commitment: the highest slot that enough healthy primaries
 * have. They do not go back, whichever node answers, unless no healthy node has had one for 30 s.
 */
export class SlotHeads {
  readonly #confirmations: number;
  readonly #parts: SlotHeadsParts;
  readonly #told = new Map<TrackedUpstream, Slots>();
  readonly #lost: Overdue;
  #heads: Slots = NONE;

  constructor(confirmations: number, parts: SlotHeadsParts) {
    const { clock, timers } = parts;
    this.#confirmations = confirmations;
    this.#parts = parts;
    this.#lost = new Overdue(FALL_BACK_MS, { clock, timers, over: () => this.refresh() });
  }

  /** -1 where none is known. */
  get heads(): Slots {
    return this.#heads;
  }

  get hasHealthyPrimary(): boolean {
    return this.#parts.upstreams.some((one) => one.role === "primary" && this.#counts(one));
  }

  /**
   * What a node said of itself. `all`: when asked for each of its heads, so that it may go back;
   * else an answer has shown that it has got that far.
   */
  told(upstream: TrackedUpstream, slots: Partial<Slots>, all: boolean): void {
    const before = all ? NONE : (this.#told.get(upstream) ?? NONE);
    const reached = (one: Commitment) => Math.max(before[one], slots[one] ?? -1);
    const confirmed = Math.max(reached("confirmed"), reached("finalized"));
    this.#told.set(upstream, {
      // What is finalized was confirmed, and what is confirmed was processed.
      processed: Math.max(reached("processed"), confirmed),
      confirmed,
      finalized: reached("finalized"),
    });
    upstream.head = confirmed;
    this.refresh();
  }

  /** Looks again who counts: an upstream's health, chain or use has changed. */
  refresh(): void {
    const found = this.#agreed();
    const now = this.#heads;
    const higher = {
      processed: Math.max(found.processed, now.processed),
      confirmed: Math.max(found.confirmed, now.confirmed),
      finalized: Math.max(found.finalized, now.finalized),
    };
    if (found.confirmed >= now.confirmed) this.#lost.reset();
    else if (this.#lost.isOver() && found.confirmed >= 0) {
      this.#lost.reset();
      this.#set(found);
      return;
    }
    this.#set(higher);
  }

  stop(): void {
    this.#lost.reset();
  }

  #set(heads: Slots): void {
    const before = this.#heads;
    this.#heads = heads;
    if (COMMITMENTS.some((one) => heads[one] !== before[one])) this.#parts.changed();
  }

  #agreed(): Slots {
    const healthy = this.#parts.upstreams.filter((one) => this.#counts(one));
    const primaries = healthy.filter(({ role }) => role === "primary");
    const heard = primaries.length > 0 ? primaries : healthy;
    const slots = heard.map((one) => this.#told.get(one) ?? NONE);
    const at = (one: Commitment) => {
      const sorted = slots.map((each) => each[one]).sort((a, b) => b - a);
      return sorted[Math.min(this.#confirmations, sorted.length) - 1] ?? -1;
    };
    return { processed: at("processed"), confirmed: at("confirmed"), finalized: at("finalized") };
  }

  #counts(upstream: TrackedUpstream): boolean {
    return isHealthy(upstream) && upstream.head >= 0;
  }
}
