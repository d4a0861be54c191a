import type { SeededRandom } from "./seeded-random.ts";
import { ADDRESSES, bloomOf, type SimulatedLog, TOPICS } from "./simulated-logs.ts";
import type { VirtualTime } from "./virtual-time.ts";

export const CHAIN_ID = 7;
export const WRONG_CHAIN_ID = 666;
const HISTORY_BLOCKS = 700;
const NO_PARENT = `0x${"0".repeat(64)}`;

/** A block with one transaction. */
export type Block = {
  readonly number: number;
  readonly hash: string;
  readonly parent: Block | undefined;
  readonly isRight: boolean;
  readonly timestamp: number;
  /** Of the same number in most forks alike: a transaction outlives the reorganisation. */
  readonly transaction: string;
  readonly json: string;
  readonly logs: readonly SimulatedLog[];
};

const text = (kind: string, number: number, salt: number): string =>
  `0x${kind}${number.toString(16).padStart(8, "0")}${salt.toString(16).padStart(48, "0")}`;
const sharedTransaction = (number: number): string => text("7a000000", number, 0);

type Particulars = {
  readonly isRight: boolean;
  readonly timestamp: number;
  readonly salt: number;
  /** Its transaction is in no block of another fork. */
  readonly own: boolean;
};

function childOf(parent: Block | undefined, { isRight, timestamp, salt, own }: Particulars): Block {
  const number = parent === undefined ? 0 : parent.number + 1;
  const hash = text(isRight ? "b10c0000" : "bad00000", number, salt);
  const ownTransaction = text(isRight ? "7b000000" : "bad70000", number, salt);
  const transaction = isRight && !own ? sharedTransaction(number) : ownTransaction;
  const logs = logsOf(number, salt);
  const json = `{"number":"0x${number.toString(16)}","hash":"${hash}","parentHash":"${
    parent?.hash ?? NO_PARENT
  }","gasLimit":"0x1c9c380","timestamp":"0x${timestamp.toString(16)}","logsBloom":"${bloomOf(logs)}","transactions":["${transaction}"],"totalDifficulty":"0x1"}`;
  return { number, hash, parent, isRight, timestamp, transaction, json, logs };
}

/** None, or up to three, which differ from fork to fork. */
function logsOf(number: number, salt: number): readonly SimulatedLog[] {
  const count = (number + 3 * salt) % 4;
  return Array.from({ length: count }, (_, at) => ({
    address: ADDRESSES[(number + at) % 3] as string,
    topics: TOPICS.slice(0, (salt + at) % 3),
  }));
}

/** What came before every schedule, made once. */
function history(isRight: boolean): readonly Block[] {
  const blocks: Block[] = [];
  for (let number = 0; number < HISTORY_BLOCKS; number += 1) {
    blocks.push(childOf(blocks.at(-1), { isRight, timestamp: number, salt: 0, own: false }));
  }
  return blocks;
}
export const HISTORY = history(true);
export const WRONG_HISTORY = history(false);
const BY_HASH = new Map([...HISTORY, ...WRONG_HISTORY].map((block) => [block.hash, block]));

/** The block of this number on the chain that ends with `tip`. */
export function ancestor(tip: Block, number: number): Block | undefined {
  if (number < 0 || number > tip.number) return undefined;
  let block = tip;
  while (block.number > number) {
    const old = block.isRight ? HISTORY : WRONG_HISTORY;
    if (old[block.number] === block) return old[number];
    if (block.parent === undefined) return undefined;
    block = block.parent;
  }
  return block;
}

export const isOn = (tip: Block, block: Block): boolean => ancestor(tip, block.number) === block;

export type ChainHabits = {
  readonly blockTimeMs: number;
  /** 0: like a clock. */
  readonly jitter: number;
  /** Of the blocks. */
  readonly reorgShare: number;
  readonly deepest: number;
};

/** The chain itself, which advances and now and then leaves a few of its blocks for others. */
export class SimulatedChain {
  readonly #time: VirtualTime;
  readonly #random: SeededRandom;
  readonly habits: ChainHabits;
  readonly #byHash = new Map<string, Block>();
  readonly #listeners: ((tip: Block) => void)[] = [];
  #tip: Block;
  #isRunning = true;

  constructor(habits: ChainHabits, parts: { time: VirtualTime; random: SeededRandom }) {
    this.habits = habits;
    this.#time = parts.time;
    this.#random = parts.random;
    this.#tip = this.extend(HISTORY[this.#random.int(3, HISTORY_BLOCKS - 1)] as Block);
    this.#plan();
  }

  get tip(): Block {
    return this.#tip;
  }

  find(hash: string): Block | undefined {
    return this.#byHash.get(hash) ?? BY_HASH.get(hash);
  }

  /** Told of each new end of the chain. */
  subscribe(listener: (tip: Block) => void): void {
    this.#listeners.push(listener);
  }

  /** A block that no other chain has. */
  extend(parent: Block): Block {
    const timestamp = Math.floor(this.#time.clock.now() / 1000);
    const isOwn = this.#random.chance(0.3);
    const salt = this.#byHash.size + 1;
    const block = childOf(parent, { isRight: true, timestamp, salt, own: isOwn });
    this.#byHash.set(block.hash, block);
    return block;
  }

  /** No more reorganisations. */
  calm(): void {
    this.#isRunning = false;
  }

  #plan(): void {
    const { blockTimeMs, jitter } = this.habits;
    const spread = this.#random.between(-jitter, jitter);
    this.#time.after(blockTimeMs * (1 + spread), () => {
      this.#grow();
      this.#plan();
    });
  }

  #grow(): void {
    const { reorgShare, deepest } = this.habits;
    let block = this.#tip;
    if (this.#isRunning && this.#random.chance(reorgShare)) {
      const depth = this.#random.int(1, deepest);
      block = ancestor(block, Math.max(block.number - depth, 0)) as Block;
      const least = Math.max(depth - 1, 0);
      for (let more = this.#random.int(least, depth); more > 0; more -= 1)
        block = this.extend(block);
    }
    this.#tip = this.extend(block);
    for (const listener of this.#listeners) listener(this.#tip);
  }
}
