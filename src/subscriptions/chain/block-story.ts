import type { Timer, Timers } from "../../lib/timer-wheel.ts";
import { type NextStep, parentOf, type Standpoint, type ToldBlock } from "./told-block.ts";

/** Blocks of the chain that are kept, some 1.4 KB each: more than anybody is told of afterwards. */
const KEPT_BLOCKS = 1280;
/** With those that have left the chain. */
const KNOWN_BLOCKS = 2 * KEPT_BLOCKS;
/** A head further from what was told is none that blocks are looked for to. */
const MOST_MISSING = 1000;
/** Where no node gave a block that has to be there. */
const RETRY_MS = 250;

/** The network's head; where its hash is not known, nobody is told before it is. */
export type StoryHead = { readonly number: number; readonly hash: string | undefined };

export type StoryChain = {
  readonly head: StoryHead | undefined;
  /** Returns what ends it. */
  subscribe(changed: () => void): () => void;
};

/** Asks nodes for a block; `done` is called once, with undefined where none has it. Returns what gives it up. */
export type FindBlock = (
  at: Standpoint,
  done: (block: ToldBlock | undefined) => void,
) => () => void;

export type BlockStoryParts = {
  readonly chain: StoryChain;
  readonly find: FindBlock;
  readonly timers: Timers;
};

export type Branch = {
  /** The highest first. */
  readonly blocks: readonly ToldBlock[];
  /** The next one; absent where the last one's parent is of the chain. */
  readonly gap?: Standpoint;
};

/**
 * A chain as subscribers are told of it: whole blocks, each the child of the one before it, whatever the network's
 * head does between two looks. It is followed while there is somebody to tell.
 */
export class BlockStory {
  readonly #parts: BlockStoryParts;
  /** The newest blocks, lowest first, each the parent of the next. */
  #path: ToldBlock[] = [];
  /** Those of the path by the hash of their parent: numbers may be left out. */
  readonly #after = new Map<string, ToldBlock>();
  /** By hash, those of the path too. */
  readonly #known = new Map<string, ToldBlock>();
  readonly #listeners = new Set<() => void>();
  /** The newest block is the network's head. */
  #isCurrent = false;
  #stopListening: (() => void) | undefined;
  #giveUp: (() => void) | undefined;
  #retry: Timer | undefined;

  constructor(parts: BlockStoryParts) {
    this.#parts = parts;
  }

  /** `changed` is called after each change. Returns what ends it. */
  follow(changed: () => void): () => void {
    const own = () => changed();
    this.#listeners.add(own);
    this.#stopListening ??= this.#parts.chain.subscribe(() => this.#advance());
    this.#advance();
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size === 0) this.#rest();
    };
  }

  /** The newest block that is told of. */
  get tip(): ToldBlock | undefined {
    return this.#path.at(-1);
  }

  /** Whether that is the network's head. */
  get isCurrent(): boolean {
    return this.#isCurrent;
  }

  /** The lowest block of the chain that is kept. */
  get oldest(): ToldBlock | undefined {
    return this.#path[0];
  }

  /** The newest block of the chain that is not above this number. */
  newest(most: number): ToldBlock | undefined {
    return this.#path.findLast(({ number }) => number <= most);
  }

  /** Blocks of the chain, and some that have left it. */
  known(hash: string): ToldBlock | undefined {
    return this.#known.get(hash);
  }

  /** Whether it is a block of the chain that is kept, or the parent of the lowest one. */
  has({ hash }: Standpoint): boolean {
    return this.tip?.hash === hash || this.#after.has(hash);
  }

  /** For who has been told of all up to there. */
  next({ number, hash }: Standpoint): NextStep {
    const { tip } = this;
    if (tip === undefined || tip.hash === hash) return "here";
    const block = this.#after.get(hash);
    if (block !== undefined) return { kind: "joins", block };
    // Who stands on a block that is none of the chain as it is known here may be ahead of that.
    if (!this.#isCurrent) return "here";
    if (number < (this.oldest?.number ?? 0)) return "unknown";
    const line = this.#down({ number, hash }, tip.number);
    const [own] = line;
    const end = line.at(-1);
    if (own === undefined || end === undefined || end.number > tip.number) return "unknown";
    // It is ahead of the head that is known here: there is nothing to tell before the head comes to it.
    if (end.hash === tip.hash) return "here";
    return { kind: "leaves", block: own, isAhead: number > tip.number };
  }

  /** Of somebody above the head, the block that is not known; undefined where all down to the head are. */
  missing(at: Standpoint): Standpoint | undefined {
    const least = this.tip?.number ?? at.number;
    if (at.number <= least) return undefined;
    const lowest = this.#down(at, least).at(-1);
    if (lowest === undefined) return at;
    if (lowest.number <= least) return undefined;
    return parentOf(lowest);
  }

  /** The blocks from there down that are off the chain, as far as they are known. */
  branch({ number, hash }: Standpoint): Branch {
    const blocks: ToldBlock[] = [];
    const oldest = this.oldest?.number ?? Number.POSITIVE_INFINITY;
    let at: Standpoint = { number, hash };
    while (at.number >= oldest && !this.has(at)) {
      const block = this.known(at.hash);
      if (block === undefined) return { blocks, gap: at };
      blocks.push(block);
      at = parentOf(block);
    }
    return { blocks };
  }

  /** The highest block of the chain on the branch that ends with `top`; `least` where that is higher, or not known. */
  upTo(top: Standpoint, least: Standpoint): Standpoint {
    const { blocks, gap } = this.branch(top);
    const lowest = blocks.at(-1);
    const highest = lowest === undefined ? top : parentOf(lowest);
    return gap === undefined && highest.number > least.number ? highest : least;
  }

  /** The block and those below it, down to this number and as far as they are known. */
  #down({ hash }: Standpoint, least: number): ToldBlock[] {
    const line: ToldBlock[] = [];
    for (let block = this.known(hash); block !== undefined; block = this.known(block.parentHash)) {
      line.push(block);
      if (block.number <= least) break;
    }
    return line;
  }

  /** A block that was asked for on behalf of who stands there. */
  learn(block: ToldBlock): void {
    this.#known.set(block.hash, block);
    if (this.#known.size <= KNOWN_BLOCKS) return;
    for (const [hash, { number }] of this.#known) {
      if (this.#known.size <= (KNOWN_BLOCKS + KEPT_BLOCKS) / 2) break;
      if (!this.has({ number, hash })) this.#known.delete(hash);
    }
  }

  /** The parent of the lowest block that is kept: somebody has been told of less. */
  extend(parent: ToldBlock): void {
    if (parent.hash !== this.oldest?.parentHash) return;
    this.#path.unshift(parent);
    this.#after.set(parent.parentHash, parent);
  }

  #rest(): void {
    this.#stopListening?.();
    this.#stopListening = undefined;
    this.#stopAsking();
    this.#forget();
    this.#isCurrent = false;
    this.#known.clear();
  }

  #forget(): void {
    this.#path = [];
    this.#after.clear();
  }

  #stopAsking(): void {
    this.#giveUp?.();
    this.#giveUp = undefined;
    if (this.#retry !== undefined) this.#parts.timers.clear(this.#retry);
    this.#retry = undefined;
  }

  /** Brings the path to the network's head as it is now, as far as its blocks are known. */
  #advance(): void {
    if (this.#giveUp !== undefined || this.#retry !== undefined) return;
    const { head } = this.#parts.chain;
    if (head?.hash === this.tip?.hash) this.#caughtUp();
    else if (head?.hash === undefined) {
      // Only an answer has shown it. Nobody is told once a node has told its hash.
      this.#isCurrent = false;
      this.#tryAgain();
    } else this.#walk({ number: head.number, hash: head.hash });
  }

  /** The head was another one for a while, which did not last until its blocks were known. */
  #caughtUp(): void {
    if (this.#isCurrent) return;
    this.#isCurrent = true;
    this.#tell();
  }

  #walk(newest: Standpoint): void {
    this.#isCurrent = false;
    const line: ToldBlock[] = [];
    let at = newest;
    while (!this.has(at)) {
      if (line.length > MOST_MISSING || at.number < (this.oldest?.number ?? at.number)) {
        // It has nothing to do with what was told.
        this.#forget();
        line.length = 0;
        at = newest;
      }
      const block = this.known(at.hash);
      if (block === undefined) {
        this.#ask(at);
        return;
      }
      line.push(block);
      if (this.tip === undefined) break;
      at = parentOf(block);
    }
    this.#adopt(at, line);
  }

  #ask(at: Standpoint): void {
    let isTold = false;
    const giveUp = this.#parts.find(at, (block) => {
      isTold = true;
      this.#giveUp = undefined;
      if (block === undefined) this.#tryAgain();
      else {
        this.learn(block);
        this.#advance();
      }
    });
    if (!isTold) this.#giveUp = giveUp;
  }

  /** The head may be another one by then. */
  #tryAgain(): void {
    this.#retry = this.#parts.timers.set(RETRY_MS, () => {
      this.#retry = undefined;
      this.#advance();
    });
  }

  /** The blocks of `line`, highest first, follow this one. */
  #adopt({ hash }: Standpoint, line: readonly ToldBlock[]): void {
    for (let { tip } = this; tip !== undefined && tip.hash !== hash; { tip } = this) {
      this.#path.pop();
      this.#after.delete(tip.parentHash);
    }
    for (const block of [...line].reverse()) {
      this.#path.push(block);
      this.#after.set(block.parentHash, block);
    }
    const old = this.#path.splice(0, this.#path.length - KEPT_BLOCKS);
    for (const { parentHash } of old) this.#after.delete(parentHash);
    this.#isCurrent = true;
    this.#tell();
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
