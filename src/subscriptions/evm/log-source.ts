import { LRUCache } from "lru-cache";
import type { MonotonicMs } from "../../lib/clock.ts";
import type { Timer, Timers } from "../../lib/timer-wheel.ts";
import { isEmptyBloom } from "../bloom.ts";
import type { NodeQuestions } from "../node-questions.ts";
import { BlockLogs, readBlockLogs } from "./block-logs.ts";
import type { Step } from "./block-story.ts";
import type { ToldBlock } from "./told-block.ts";

/** Of the blocks that were told last: once one has left the chain, nodes may not know its logs any more. */
const KEPT_BYTES = 32 * 1024 * 1024;
const RETRY_MS = 250;
/** A block whose logs no node tells for so long is given up, and one that has left the chain sooner: nodes may forget it. */
const PATIENCE_MS = 60_000;
const LEFT_PATIENCE_MS = 10_000;
/** Blocks whose logs were given up. */
const MOST_LOST = 1000;

export type LogSourceParts = {
  readonly nodes: NodeQuestions;
  readonly timers: Timers;
  readonly clock: { readonly monotonic: () => MonotonicMs };
  /** The logs of a block are known, or given up. */
  readonly told: () => void;
};

/** The logs of blocks, asked for once for all who want them. */
export class LogSource {
  readonly #parts: LogSourceParts;
  readonly #kept = new LRUCache<string, BlockLogs>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ sizeBytes }) => sizeBytes + 1,
  });
  readonly #none = new BlockLogs([]);
  readonly #lost = new LRUCache<string, true>({ max: MOST_LOST });
  readonly #asked = new Map<string, Asking>();

  constructor(parts: LogSourceParts) {
    this.#parts = parts;
  }

  /** Undefined where nodes have to be asked. */
  known({ hash, bloom }: ToldBlock): BlockLogs | undefined {
    return this.#kept.get(hash) ?? (isEmptyBloom(bloom) ? this.#none : undefined);
  }

  /** They were given up, and nobody has them since. */
  isLost(block: ToldBlock): boolean {
    return this.#lost.has(block.hash) && this.known(block) === undefined;
  }

  /** Whether nodes are being asked for those of this block. */
  isAsked(hash: string): boolean {
    return this.#asked.has(hash);
  }

  /** Has nodes asked for them until they are known, or that took too long. */
  fetch({ block, kind }: Pick<Step, "block" | "kind">): void {
    const { hash } = block;
    const asked = this.#asked.get(hash);
    if (asked !== undefined) {
      asked.wantedFor(kind);
      return;
    }
    const ended = (logs: BlockLogs | undefined): void => {
      this.#asked.delete(hash);
      if (logs === undefined) this.#lost.set(hash, true);
      else this.#kept.set(hash, logs);
      this.#parts.told();
    };
    this.#asked.set(hash, new Asking({ block, kind, ended }, this.#parts));
  }

  /** Nobody wants any. */
  stop(): void {
    for (const asking of this.#asked.values()) asking.stop();
    this.#asked.clear();
  }
}

type AskingOptions = {
  readonly block: ToldBlock;
  readonly kind: Step["kind"];
  readonly ended: (logs: BlockLogs | undefined) => void;
};

class Asking {
  readonly #options: AskingOptions;
  readonly #parts: LogSourceParts;
  #kind: Step["kind"] | undefined;
  #untilMs: MonotonicMs = 0;
  #retry: Timer | undefined;
  #giveUp: (() => void) | undefined;
  #isOver = false;

  constructor(options: AskingOptions, parts: LogSourceParts) {
    this.#options = options;
    this.#parts = parts;
    this.wantedFor(options.kind);
    // Whoever wants them has to be told later than it asks.
    this.#askIn(0);
  }

  /** Its patience is another one from then on where the block has left the chain, or has come back to it. */
  wantedFor(kind: Step["kind"]): void {
    if (kind === this.#kind) return;
    this.#kind = kind;
    const patienceMs = kind === "joins" ? PATIENCE_MS : LEFT_PATIENCE_MS;
    this.#untilMs = this.#parts.clock.monotonic() + patienceMs;
  }

  stop(): void {
    this.#isOver = true;
    this.#giveUp?.();
    if (this.#retry !== undefined) this.#parts.timers.clear(this.#retry);
  }

  #askIn(delayMs: number): void {
    this.#retry = this.#parts.timers.set(delayMs, () => {
      this.#retry = undefined;
      this.#ask();
    });
  }

  #ask(): void {
    const { block } = this.#options;
    this.#giveUp = this.#parts.nodes.ask(
      {
        method: "eth_getLogs",
        params: `[{"blockHash":"${block.hash}"}]`,
        block: block.number,
      },
      (result) => believable(readBlockLogs(result, block)),
      (logs) => this.#told(logs),
    );
  }

  #told(logs: BlockLogs | undefined): void {
    if (this.#isOver) return;
    const isOver = this.#parts.clock.monotonic() >= this.#untilMs;
    if (logs === undefined && !isOver) this.#askIn(RETRY_MS);
    else this.#options.ended(logs);
  }
}

/** A node that has lost a block's logs says that there are none; its bloom says otherwise. */
const believable = (logs: BlockLogs | undefined): BlockLogs | undefined =>
  logs === undefined || logs.count === 0 ? undefined : logs;
