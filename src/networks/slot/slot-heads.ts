import type { Clock } from "../../lib/clock.ts";
import type { Timers } from "../../lib/timer-wheel.ts";
import { Overdue } from "../overdue.ts";
import { isHealthy, type TrackedUpstream } from "../tracked-upstream.ts";

/** From what a node has just seen to what can never be undone. */
export const COMMITMENTS = ["processed", "confirmed", "finalized"] as const;
export type Commitment = (typeof COMMITMENTS)[number];
export type Slots = Readonly<Record<Commitment, number>>;

/** docs/decisions.md, "Heads": so long a head stays although no healthy node has it. */
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
  /** Since when no healthy node has had them. */
  readonly #lost: Readonly<Record<Commitment, Overdue>>;
  readonly #hasPartners: boolean;
  #heads: Slots = NONE;
  #shown: Slots = NONE;

  constructor(confirmations: number, parts: SlotHeadsParts) {
    const { clock, timers } = parts;
    this.#confirmations = confirmations;
    this.#parts = parts;
    this.#hasPartners = parts.upstreams.some(({ role }) => role === "partner");
    const lost = () => new Overdue(FALL_BACK_MS, { clock, timers, over: () => this.refresh() });
    this.#lost = { processed: lost(), confirmed: lost(), finalized: lost() };
  }

  /** -1 where none is known. */
  get heads(): Slots {
    return this.#heads;
  }

  /** As primaries alone have shown them: they stay while none is heard, whatever partners say. */
  get shownHeads(): Slots {
    return this.#hasPartners ? this.#shown : this.#heads;
  }

  get hasHealthyPrimary(): boolean {
    return this.#parts.upstreams.some((one) => one.role === "primary" && this.#counts(one));
  }

  /**
   * Takes the slots that a node told of itself. `all`: when asked for each of its heads, so that it may go back;
   * else an answer has shown that it has got that far.
   */
  told(upstream: TrackedUpstream, slots: Partial<Slots>, all: boolean): void {
    const before = all ? NONE : (this.#told.get(upstream) ?? NONE);
    const reached = (one: Commitment) => Math.max(before[one], slots[one] ?? -1);
    const confirmed = Math.max(reached("confirmed"), reached("finalized"));
    this.#told.set(upstream, {
      // A finalized slot was confirmed, and a confirmed one was processed.
      processed: Math.max(reached("processed"), confirmed),
      confirmed,
      finalized: reached("finalized"),
    });
    upstream.head = confirmed;
    this.refresh();
  }

  /** A client was given an answer of this slot, whatever is thought of the node that gave it. */
  shown({ role }: TrackedUpstream, commitment: Commitment, slot: number): void {
    const isPrimary = role === "primary";
    const isNews = slot > this.#heads[commitment];
    if (!isNews && !(isPrimary && slot > this.shownHeads[commitment])) return;
    if (isNews) this.#lost[commitment].reset();
    const heads = { ...this.#heads, [commitment]: Math.max(slot, this.#heads[commitment]) };
    this.#set(heads, isPrimary ? { ...this.#shown, [commitment]: slot } : this.#shown);
  }

  /** The known slots are of another chain than the network's: nothing of them holds. */
  startOver(): void {
    this.stop();
    this.#told.clear();
    for (const upstream of this.#parts.upstreams) upstream.head = -1;
    this.#set(NONE, NONE);
  }

  /** Another worker of this gateway has these heads; `all`: and no others, where they are lower. */
  adopt({ heads, shown }: { readonly heads: Slots; readonly shown: Slots }, all: boolean): void {
    const before = this.#heads;
    this.#set(all ? heads : higher(heads, before), all ? shown : higher(shown, this.#shown));
    for (const one of COMMITMENTS) if (this.#heads[one] !== before[one]) this.#lost[one].reset();
  }

  /** Looks again who counts: an upstream's health, chain or use has changed. */
  refresh(): void {
    const found = this.#agreed();
    const heads = {
      processed: this.#next("processed", found),
      confirmed: this.#next("confirmed", found),
      finalized: this.#next("finalized", found),
    };
    this.#set(heads, this.hasHealthyPrimary ? this.#nextShown(found, heads) : this.#shown);
  }

  /** Where the network's head is what primaries say, so is theirs: it may have fallen back. */
  #nextShown(found: Slots, heads: Slots): Slots {
    const next = (one: Commitment) =>
      heads[one] === found[one] ? found[one] : Math.max(found[one], this.#shown[one]);
    return {
      processed: next("processed"),
      confirmed: next("confirmed"),
      finalized: next("finalized"),
    };
  }

  stop(): void {
    for (const one of COMMITMENTS) this.#lost[one].reset();
  }

  #next(commitment: Commitment, found: Slots): number {
    const now = this.#heads[commitment];
    const lost = this.#lost[commitment];
    const isLost = found[commitment] < now;
    if (isLost && !(found[commitment] >= 0 && lost.isOver())) return now;
    lost.reset();
    return found[commitment];
  }

  #set(heads: Slots, shown: Slots): void {
    const hasChanged = (before: Slots, now: Slots) =>
      COMMITMENTS.some((one) => now[one] !== before[one]);
    const isNews = hasChanged(this.#heads, heads) || hasChanged(this.#shown, shown);
    this.#heads = heads;
    this.#shown = shown;
    if (isNews) this.#parts.changed();
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

function higher(one: Slots, other: Slots): Slots {
  return {
    processed: Math.max(one.processed, other.processed),
    confirmed: Math.max(one.confirmed, other.confirmed),
    finalized: Math.max(one.finalized, other.finalized),
  };
}
