import type { HeadChange } from "../../src/networks/evm/head-listeners.ts";
import { blockQuestion, type Question, stateQuestion, transactionQuestion } from "./questions.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { ancestor, type Block, isOn, type SimulatedChain } from "./simulated-chain.ts";
import type { SimulatedNode } from "./simulated-node.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** How far below the head these clients ask. */
const REACH = 3;
const MEAN_MS = 400;
/** Mostly before the gateway is told of what its node left. */
const SOON_MS = 100;
/** So long an answer may be in the air. */
const AIR_MS = 100;
const LATER_MS = 400;
/** Questions that nobody has asked before, around each replacement of blocks. */
const FRESH = 3;

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
  #accounts = 0;
  /** Asked a moment ago: they may be in the air. */
  #asked: { readonly question: Question; readonly number: number; readonly atMs: number }[] = [];

  constructor(parts: RepeatsParts) {
    this.#parts = parts;
  }

  start(): void {
    const { subscribe } = this.#parts;
    subscribe((change) => {
      if (change.kind === "reorg") this.#reorganised(change);
    });
    this.#goOn();
  }

  /** A node will have this end of the chain: some answers are in the air when it tells of that. */
  coming({ tip: before, options }: SimulatedNode, tip: Block, inMs: number): void {
    if (inMs > 0 && !isOn(tip, before)) {
      this.#askFresh(before, tip, [Math.max(inMs - options.latencyMs, 0), inMs]);
    }
  }

  /** A node has other blocks now, which the gateway may not be told of. */
  left(before: Block, tip: Block): void {
    this.#askFresh(before, tip, [0, SOON_MS]);
  }

  /** What nobody has asked yet of blocks that are replaced, and once more later. */
  #askFresh(before: Block, tip: Block, [fromMs, toMs]: readonly [number, number]): void {
    const { time, random } = this.#parts;
    const lowest = lowestReplaced(before, tip);
    for (let left = FRESH; left > 0; left -= 1) {
      this.#accounts += 1;
      const account = `0x${this.#accounts.toString(16).padStart(40, "c")}`;
      const number = Math.min(lowest + random.int(0, 1), before.number);
      const question = stateQuestion(`0x${number.toString(16)}`, account);
      const firstMs = random.between(fromMs, toMs);
      time.after(firstMs, () => {
        this.#asked.push({ question, number, atMs: time.nowMs });
        this.#askIf(question, number);
      });
      time.after(firstMs + random.between(0, LATER_MS), () => this.#askIf(question, number));
    }
  }

  #goOn(): void {
    const { time, random, isOver } = this.#parts;
    time.after(MEAN_MS * random.between(0.1, 1.9), () => {
      if (isOver()) return;
      const number = this.#parts.head() - random.int(0, REACH);
      this.#askIf(random.pick(this.#about(number)), number);
      this.#goOn();
    });
  }

  /** About the lowest blocks that were replaced, and the one below, at once and once more later. */
  #reorganised({ commonAncestor, from }: Extract<HeadChange, { kind: "reorg" }>): void {
    const { time, random } = this.#parts;
    const asked = this.#asked.filter(({ atMs }) => atMs >= time.nowMs - AIR_MS);
    this.#asked = asked;
    time.after(0, () => {
      for (const { question, number } of asked) this.#askIf(question, number);
    });
    const lowest = Math.max(commonAncestor, from - REACH);
    for (let number = lowest; number <= Math.min(lowest + 2, from); number += 1) {
      for (const afterMs of [0, random.between(0, LATER_MS)]) {
        time.after(afterMs, () => {
          for (const question of this.#about(number)) this.#askIf(question, number);
        });
      }
    }
  }

  #askIf(question: Question, number: number): void {
    const { ask, isOver } = this.#parts;
    if (!isOver() && number >= 0) ask(question);
  }

  #about(number: number): readonly Question[] {
    const { chain } = this.#parts;
    const at = `0x${number.toString(16)}`;
    const own = ancestor(chain.tip, number);
    const byNumber = [stateQuestion(at), blockQuestion(at)];
    return own === undefined ? byNumber : [...byNumber, transactionQuestion(own)];
  }
}

function lowestReplaced(before: Block, tip: Block): number {
  let lowest = before.number;
  while (lowest > 0 && ancestor(tip, lowest - 1) !== ancestor(before, lowest - 1)) lowest -= 1;
  return lowest;
}
