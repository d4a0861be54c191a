import type { SeededRandom } from "../seeded-random.ts";
import { ADDRESSES, bloomOf, logsJsonOf, type SimulatedLog, TOPICS } from "../simulated-logs.ts";

export type TreeBlock = {
  readonly number: number;
  readonly hash: string;
  readonly parent: TreeBlock | undefined;
  readonly logs: readonly SimulatedLog[];
  /** As nodes answer. */
  readonly json: string;
  readonly logsJson: string;
};

const hex = (value: number, bytes: number): string =>
  `0x${value.toString(16).padStart(2 * bytes, "0")}`;

/** Blocks of which one branch is the chain. */
export class BlockTree {
  readonly #random: SeededRandom;
  readonly all = new Map<string, TreeBlock>();
  tip: TreeBlock;
  #made = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
    this.tip = this.#make(undefined, 100);
  }

  find(hash: string): TreeBlock | undefined {
    return this.all.get(hash);
  }

  /** The block of this branch of that number. */
  at(number: number, tip = this.tip): TreeBlock | undefined {
    let at: TreeBlock | undefined = tip;
    while (at !== undefined && at.number > number) at = at.parent;
    return at?.number === number ? at : undefined;
  }

  /** So many more on top of this one, which are the chain from then on. */
  grow(count: number, from = this.tip): void {
    let tip = from;
    for (let each = 0; each < count; each += 1) tip = this.#make(tip, tip.number + 1);
    this.tip = tip;
  }

  /** The newest blocks are replaced by as many and one more, or by fewer. */
  reorganise(depth: number, count: number): void {
    const ancestor = this.at(Math.max(this.tip.number - depth, 100)) ?? this.tip;
    this.grow(count, ancestor);
  }

  #make(parent: TreeBlock | undefined, number: number): TreeBlock {
    this.#made += 1;
    const hash = hex(this.#made, 32);
    const random = this.#random;
    const logs = Array.from({ length: random.chance(0.4) ? 0 : random.int(1, 4) }, () => ({
      address: random.pick(ADDRESSES),
      topics: TOPICS.slice(0, random.int(0, 3)).map(() => random.pick(TOPICS)),
    }));
    const block = {
      ...{ number, hash, parent, logs },
      json: JSON.stringify({
        ...{ number: `0x${number.toString(16)}`, hash, parentHash: parent?.hash ?? hex(0, 32) },
        ...{ gasLimit: "0x1", timestamp: "0x1", logsBloom: bloomOf(logs) },
        ...{ transactions: [], size: "0x1" },
      }),
      logsJson: logsJsonOf({ number, hash, logs }),
    };
    this.all.set(hash, block);
    return block;
  }
}
