import { LRUCache } from "lru-cache";
import type { MonotonicMs } from "../../lib/clock.ts";
import type { Timer, Timers } from "../../lib/timer-wheel.ts";
import type { NodeQuestion, NodeQuestions } from "../node-questions.ts";
import type { Standpoint, Step, ToldBlock } from "./told-block.ts";
import type { Details } from "./topic.ts";

/** Of the blocks that were told last: once one has left the chain, nodes may not know it any more. */
const KEPT_BYTES = 32 * 1024 * 1024;
const RETRY_MS = 250;
/** A block that no node tells more of for so long is given up, and one that has left the chain sooner: nodes may forget it. */
const PATIENCE_MS = 60_000;
const LEFT_PATIENCE_MS = 10_000;
/** Blocks that were given up. */
const MOST_LOST = 1000;

/** What is asked of nodes for a block, and what of an answer is believed. */
export type DetailKind<Detail> = {
  readonly question: (block: Standpoint) => NodeQuestion;
  readonly read: (result: string, block: Standpoint) => Detail | undefined;
  readonly sizeOf: (detail: Detail) => number;
  /** It made room for others, and nobody is told of it any more. */
  readonly dispose?: (detail: Detail) => void;
  /** Where nobody has to be asked. */
  readonly sure?: (block: ToldBlock) => Detail | undefined;
};

export type BlockDetailsParts = {
  readonly nodes: NodeQuestions;
  readonly timers: Timers;
  readonly clock: { readonly monotonic: () => MonotonicMs };
  /** Runs it in a later turn of the event loop. */
  readonly later: (run: () => void) => void;
  /** Those of a block are known, or given up. */
  readonly told: () => void;
};

/** More of blocks than their headers, asked for once for all who want it. */
export class BlockDetails<Detail extends object> implements Details {
  readonly #kind: DetailKind<Detail>;
  readonly #parts: BlockDetailsParts;
  readonly #kept: LRUCache<string, Detail>;
  readonly #lost = new LRUCache<string, true>({ max: MOST_LOST });
  readonly #asked = new Map<string, Asking<Detail>>();
  /** Somebody needed those of a block since the last one was expected. */
  #isNeeded = false;

  constructor(kind: DetailKind<Detail>, parts: BlockDetailsParts) {
    this.#kind = kind;
    this.#parts = parts;
    // One that is larger is kept alone: else nobody could be told of it.
    const sizeCalculation = (detail: Detail): number =>
      Math.min(kind.sizeOf(detail) + 1, KEPT_BYTES);
    this.#kept = new LRUCache<string, Detail>({
      ...{ maxSize: KEPT_BYTES, sizeCalculation },
      dispose: (detail) => kind.dispose?.(detail),
    });
  }

  /** Undefined where nodes have to be asked. */
  known(block: ToldBlock): Detail | undefined {
    return this.#kept.get(block.hash) ?? this.#kind.sure?.(block);
  }

  /** They were given up, and nobody has told them since. */
  isLost(block: ToldBlock): boolean {
    return this.#lost.has(block.hash) && this.known(block) === undefined;
  }

  isGivenUp(block: ToldBlock): boolean {
    return !this.isAsked(block) && this.isLost(block);
  }

  /** Nodes are being asked for them: all are told once they have answered. */
  isAsked(block: ToldBlock | undefined): boolean {
    return block !== undefined && this.#asked.has(block.hash);
  }

  /** Has nodes asked for them until they are known, or that took too long. */
  fetch({ block, kind }: Pick<Step, "block" | "kind">): void {
    this.needed();
    const asking = this.#asked.get(block.hash) ?? this.#begin(block);
    asking.wantedFor(kind);
  }

  /** Somebody is told of a block's details. */
  needed(): void {
    this.#isNeeded = true;
  }

  /**
   * Nodes are being asked for this block. Where somebody needed the details of the one before, they are asked for its
   * details at the same time, once: subscribers wait for one answer in place of two.
   */
  expect(block: Standpoint): void {
    const { hash } = block;
    const isNeeded = this.#isNeeded && !this.#asked.has(hash) && !this.#kept.has(hash);
    this.#isNeeded = false;
    if (isNeeded) this.#begin(block);
  }

  #begin(block: Standpoint): Asking<Detail> {
    const { hash } = block;
    const { question, read } = this.#kind;
    const ended = (detail: Detail | undefined, isWanted: boolean): void => {
      this.#asked.delete(hash);
      if (detail !== undefined) {
        this.#lost.delete(hash);
        this.#kept.set(hash, detail);
      } else if (isWanted) this.#lost.set(hash, true);
      this.#parts.told();
    };
    const asking = new Asking({ block, question, read, ended }, this.#parts);
    this.#asked.set(hash, asking);
    return asking;
  }

  /** Nobody wants any. */
  stop(): void {
    for (const asking of this.#asked.values()) asking.stop();
    this.#asked.clear();
    this.#isNeeded = false;
  }
}

type AskingOptions<Detail> = Pick<DetailKind<Detail>, "question" | "read"> & {
  readonly block: Standpoint;
  readonly ended: (detail: Detail | undefined, isWanted: boolean) => void;
};

class Asking<Detail> {
  readonly #options: AskingOptions<Detail>;
  readonly #parts: BlockDetailsParts;
  readonly #beganMs: MonotonicMs;
  /** When its block was first seen to have left the chain. */
  #leftMs: MonotonicMs | undefined;
  /** Undefined while nobody wants them. */
  #kind: Step["kind"] | undefined;
  /** Nobody wanted them when nodes were asked last. */
  #isEarly = false;
  #retry: Timer | undefined;
  #giveUp: (() => void) | undefined;
  #isOver = false;

  constructor(options: AskingOptions<Detail>, parts: BlockDetailsParts) {
    this.#options = options;
    this.#parts = parts;
    this.#beganMs = parts.clock.monotonic();
    // Whoever wants them has to be told later than it asks.
    parts.later(() => this.#ask());
  }

  /** Its patience is another one while the block is off the chain. */
  wantedFor(kind: Step["kind"]): void {
    this.#kind = kind;
    if (kind === "leaves") this.#leftMs ??= this.#parts.clock.monotonic();
  }

  get #untilMs(): MonotonicMs {
    if (this.#kind === undefined) return this.#beganMs;
    return this.#kind === "leaves" && this.#leftMs !== undefined
      ? this.#leftMs + LEFT_PATIENCE_MS
      : this.#beganMs + PATIENCE_MS;
  }

  stop(): void {
    this.#isOver = true;
    this.#giveUp?.();
    if (this.#retry !== undefined) this.#parts.timers.clear(this.#retry);
  }

  #askAgain(): void {
    this.#retry = this.#parts.timers.set(RETRY_MS, () => {
      this.#retry = undefined;
      this.#ask();
    });
  }

  #ask(): void {
    if (this.#isOver) return;
    const { block, question, read } = this.#options;
    this.#isEarly = this.#kind === undefined;
    this.#giveUp = this.#parts.nodes.ask(
      question(block),
      (result) => read(result, block),
      (detail) => this.#told(detail),
    );
  }

  #told(detail: Detail | undefined): void {
    if (this.#isOver) return;
    const isOver = this.#parts.clock.monotonic() >= this.#untilMs;
    if (detail === undefined && !isOver) {
      // Nodes may not have had the block when they were asked beside it.
      if (this.#isEarly) this.#ask();
      else this.#askAgain();
    } else this.#options.ended(detail, this.#kind !== undefined);
  }
}
