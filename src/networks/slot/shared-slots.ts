import type { SharedBoard } from "../../lib/shared-board.ts";
import { COMMITMENTS, type SlotHeads, type Slots } from "./slot-heads.ts";

/** A worker's heads, written before anybody is told of them. */
export type SlotClaim = {
  /** Counts over all workers how often a head fell back: claims of an earlier term do not hold. */
  readonly term: number;
  readonly heads: Slots;
  /** As primaries alone have shown them. */
  readonly shown: Slots;
};

/**
 * One network's heads over all workers of a gateway: what one has told a client holds for whoever asks
 * another one afterwards.
 */
export class SharedSlots {
  readonly #board: SharedBoard<SlotClaim>;
  readonly #heads: SlotHeads;
  #term = 0;
  #written: Pick<SlotClaim, "heads" | "shown">;
  #followed: readonly SlotClaim[] | undefined;

  constructor(board: SharedBoard<SlotClaim>, heads: SlotHeads) {
    this.#board = board;
    this.#heads = heads;
    this.#written = this.#now;
  }

  get #now(): Pick<SlotClaim, "heads" | "shown"> {
    return { heads: this.#heads.heads, shown: this.#heads.shownHeads };
  }

  /** The heads have changed: before anybody is told, the other workers can know. */
  changed(): void {
    const now = this.#now;
    const { heads, shown } = this.#written;
    this.#written = now;
    if (isLower(now.heads, heads) || isLower(now.shown, shown)) {
      this.#term = Math.max(this.#term, ...this.#board.read().map(({ term }) => term)) + 1;
    }
    this.#board.write({ term: this.#term, ...now });
  }

  /** Takes over what other workers may have told of. */
  catchUp(): void {
    const claims = this.#board.read();
    if (claims === this.#followed) return;
    this.#followed = claims;
    for (const claim of claims.toSorted((a, b) => a.term - b.term)) {
      const { term } = claim;
      if (term < this.#term) continue;
      const isLater = term > this.#term;
      this.#term = term;
      // They fell in another worker: what they were there is not told any more.
      if (isLater) this.#written = claim;
      this.#heads.adopt(claim, isLater);
    }
  }
}

const isLower = (one: Slots, other: Slots): boolean =>
  COMMITMENTS.some((at) => one[at] < other[at]);
