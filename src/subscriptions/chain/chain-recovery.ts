import { LRUCache } from "lru-cache";
import type { BlockStory, FindBlock } from "./block-story.ts";
import type { Recovered, Recovery } from "./subscription-parts.ts";
import { parentOf, type Standpoint, type ToldBlock } from "./told-block.ts";

/** Whoever stands on one of a thousand branches before is found out once more. */
const MOST_LOST = 1000;

type Waiter = (block: ToldBlock | undefined) => void;

/** Asks nodes for blocks that the story does not have: what joins them is their hashes, no node's word. */
export class ChainRecovery implements Recovery {
  readonly #find: FindBlock;
  readonly #story: BlockStory;
  /** Blocks that somebody was given up for, by their hashes. */
  readonly #lost = new LRUCache<string, true>({ max: MOST_LOST });
  /** Those that wait, by the hash of the block. */
  readonly #asked = new Map<
    string,
    { readonly waiters: Set<Waiter>; readonly giveUp: () => void }
  >();

  constructor(find: FindBlock, story: BlockStory) {
    this.#find = find;
    this.#story = story;
  }

  /**
   * A block that somebody names, of the chain or not. `done` is called once; undefined where no node has it. Returns
   * what gives it up.
   */
  find(at: Standpoint, done: (block: ToldBlock | undefined) => void): () => void {
    const known = this.#story.known(at.hash);
    if (known === undefined) return this.#ask(at, done);
    done(known);
    return () => undefined;
  }

  /** No node told of a block that is needed by who stands there, however often it was asked for. */
  lose(at: Standpoint): void {
    this.#lost.set(this.#needed(at).hash, true);
  }

  /**
   * Whether somebody was given up before who stood on the same branch, and what was missing then is so still.
   * `done` is called once.
   */
  isLost(at: Standpoint, done: (isLost: boolean) => void): void {
    const { gap } = this.#story.branch(at);
    if (gap === undefined || !this.#lost.has(gap.hash)) {
      done(false);
      return;
    }
    this.#ask(gap, (block) => done(block === undefined));
  }

  /** The next block that is needed to tell what comes next for who stands there. `done` is called once. */
  next(at: Standpoint, done: (recovered: Recovered) => void): () => void {
    return this.find(this.#needed(at), (block) => {
      // Where it is the parent of the lowest that is kept.
      if (block !== undefined) this.#story.extend(block);
      done(block === undefined ? "gone" : "known");
    });
  }

  #needed(at: Standpoint): Standpoint {
    const { oldest } = this.#story;
    if (oldest !== undefined && at.number < oldest.number) return parentOf(oldest);
    return this.#story.missing(at) ?? at;
  }

  /** Once for all who want it. */
  #ask(at: Standpoint, done: Waiter): () => void {
    const { hash } = at;
    const own: Waiter = (block) => done(block);
    const asked = this.#asked.get(hash);
    if (asked !== undefined) asked.waiters.add(own);
    else this.#begin(at, own);
    return () => {
      const waiting = this.#asked.get(hash);
      if (waiting?.waiters.delete(own) !== true || waiting.waiters.size > 0) return;
      this.#asked.delete(hash);
      waiting.giveUp();
    };
  }

  #begin(at: Standpoint, first: Waiter): void {
    const { hash } = at;
    const waiters = new Set([first]);
    let isTold = false;
    const giveUp = this.#find(at, (block) => {
      isTold = true;
      this.#asked.delete(hash);
      if (block !== undefined) {
        this.#story.learn(block);
        this.#lost.delete(hash);
      }
      for (const waiter of waiters) waiter(block);
    });
    if (!isTold) this.#asked.set(hash, { waiters, giveUp });
  }
}
