import type { HeadChange } from "../../src/networks/evm/head-listeners.ts";
import { blockQuestion, type Question, stateQuestion, transactionQuestion } from "./questions.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { ancestor, type SimulatedChain } from "./simulated-chain.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** How far below the head these clients ask. */
const REACH = 3;
/** After a block came clients ask about it; after a reorganisation about what was replaced. */
const SOON_MS = 60;
const LATER_MS = 400;
const MEAN_MS = 400;

export type RepeatsParts = {
  readonly chain: SimulatedChain;
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  /** The gateway's own head; -1: none yet. */
  readonly head: () => number;
  readonly subscribe: (listener: (change: HeadChange) => void) => void;
  readonly isOver: () => boolean;
  readonly ask: (question: Question) => void;
};

/**
 * Clients that ask for the same few things of the newest blocks again and again, most of all around
 * reorganisations: what was kept, or is in the air, is then asked for once more.
 */
export class Repeats {
  readonly #parts: RepeatsParts;

  constructor(parts: RepeatsParts) {
    this.#parts = parts;
  }

  start(): void {
    const { chain, subscribe } = this.#parts;
    chain.subscribe(() => this.#plan(1, SOON_MS));
    subscribe((change) => {
      if (change.kind === "reorg") this.#reorganised(change);
    });
    this.#goOn();
  }

  #goOn(): void {
    const { time, random, isOver } = this.#parts;
    time.after(MEAN_MS * random.between(0.1, 1.9), () => {
      if (isOver()) return;
      this.#ask(this.#someNumber());
      this.#goOn();
    });
  }

  /** Of the lowest blocks that were replaced, at once and once more later. */
  #reorganised({ commonAncestor, from }: Extract<HeadChange, { kind: "reorg" }>): void {
    const { time, random } = this.#parts;
    const lowest = Math.max(commonAncestor + 1, from - REACH);
    for (let number = lowest; number <= Math.min(lowest + 1, from); number += 1) {
      for (const afterMs of [0, random.between(0, LATER_MS)]) {
        time.after(afterMs, () => this.#askAll(number));
      }
    }
  }

  #plan(count: number, withinMs: number): void {
    const { time, random } = this.#parts;
    for (let left = count; left > 0; left -= 1) {
      time.after(random.between(0, withinMs), () => this.#ask(this.#someNumber()));
    }
  }

  #someNumber(): number {
    return this.#parts.head() - this.#parts.random.int(0, REACH);
  }

  #ask(number: number): void {
    const { random, ask, isOver } = this.#parts;
    if (isOver() || number < 0) return;
    ask(random.pick(this.#about(number)));
  }

  #askAll(number: number): void {
    const { ask, isOver } = this.#parts;
    if (isOver() || number < 0) return;
    for (const question of this.#about(number)) ask(question);
  }

  #about(number: number): readonly Question[] {
    const { chain } = this.#parts;
    const at = `0x${number.toString(16)}`;
    const own = ancestor(chain.tip, number);
    const byNumber = [stateQuestion(at), blockQuestion(at)];
    return own === undefined ? byNumber : [...byNumber, transactionQuestion(own)];
  }
}
