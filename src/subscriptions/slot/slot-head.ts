import type { Timer, Timers } from "../../lib/timer-wheel.ts";
import type { SlotWatch } from "../../networks/slot/slot-watch.ts";
import type { FindBlock, StoryChain, StoryHead } from "../chain/block-story.ts";
import type { ToldBlock } from "../chain/told-block.ts";
import type { Replaceable } from "../replaceable.ts";

/** Where no node gave the block of the confirmed slot. */
const RETRY_MS = 250;

export type SlotHeadParts = {
  readonly chain: Pick<Replaceable<Pick<SlotWatch, "shownSlots">>, "now" | "follow">;
  readonly find: FindBlock;
  readonly timers: Timers;
  /** Told of its block, before anybody asks for it. */
  readonly learn: (block: ToldBlock) => void;
};

/** The confirmed slot with the hash of its block, which the polls of slots do not tell. */
export class SlotHead implements StoryChain {
  readonly #parts: SlotHeadParts;
  #head: StoryHead | undefined;
  #changed: (() => void) | undefined;
  #giveUp: (() => void) | undefined;
  #retry: Timer | undefined;

  constructor(parts: SlotHeadParts) {
    this.#parts = parts;
  }

  get head(): StoryHead | undefined {
    return this.#head;
  }

  subscribe(changed: () => void): () => void {
    this.#changed = changed;
    const stop = this.#parts.chain.follow(() => this.#look());
    this.#look();
    return () => {
      stop();
      this.#changed = undefined;
      this.#head = undefined;
      this.#giveUp?.();
      this.#giveUp = undefined;
      if (this.#retry !== undefined) this.#parts.timers.clear(this.#retry);
      this.#retry = undefined;
    };
  }

  #look(): void {
    const number = this.#parts.chain.now.shownSlots.confirmed;
    if (number < 0 || number === this.#head?.number) return;
    if (this.#giveUp !== undefined || this.#retry !== undefined) return;
    let isTold = false;
    const giveUp = this.#parts.find({ number, hash: "" }, (block) => {
      isTold = true;
      this.#giveUp = undefined;
      if (block === undefined) this.#tryAgain();
      else this.#come(block);
    });
    if (!isTold) this.#giveUp = giveUp;
  }

  #come(block: ToldBlock): void {
    this.#parts.learn(block);
    this.#head = { number: block.number, hash: block.hash };
    this.#changed?.();
    // It may be another one by now.
    this.#look();
  }

  #tryAgain(): void {
    this.#retry = this.#parts.timers.set(RETRY_MS, () => {
      this.#retry = undefined;
      this.#look();
    });
  }
}
