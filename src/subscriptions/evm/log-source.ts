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

type LogsWaiter = (logs: BlockLogs | undefined) => void;

export type LogSourceParts = {
  readonly nodes: NodeQuestions;
  readonly timers: Timers;
  readonly clock: { readonly monotonic: () => MonotonicMs };
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

  /** `done` is called once, later: with undefined where no node told in time. Returns what gives it up. */
  fetch({ block, kind }: Pick<Step, "block" | "kind">, done: LogsWaiter): () => void {
    let asking = this.#asked.get(block.hash);
    if (asking === undefined) {
      const patienceMs = kind === "joins" ? PATIENCE_MS : LEFT_PATIENCE_MS;
      asking = new Asking({ block, patienceMs }, this.#parts, (logs) => {
        this.#asked.delete(block.hash);
        if (logs === undefined) this.#lost.set(block.hash, true);
        else this.#kept.set(block.hash, logs);
      });
      this.#asked.set(block.hash, asking);
    }
    return asking.add(done, () => this.#asked.delete(block.hash));
  }
}

class Asking {
  readonly #block: ToldBlock;
  readonly #parts: LogSourceParts;
  readonly #ended: LogsWaiter;
  readonly #waiters = new Set<LogsWaiter>();
  readonly #sinceMs: MonotonicMs;
  readonly #patienceMs: number;
  #retry: Timer | undefined;
  #giveUp: (() => void) | undefined;

  constructor(
    { block, patienceMs }: { readonly block: ToldBlock; readonly patienceMs: number },
    parts: LogSourceParts,
    ended: LogsWaiter,
  ) {
    this.#block = block;
    this.#patienceMs = patienceMs;
    this.#parts = parts;
    this.#ended = ended;
    this.#sinceMs = parts.clock.monotonic();
    // Whoever wants them has to be told later than it asks.
    this.#retry = parts.timers.set(0, () => this.#ask());
  }

  add(done: LogsWaiter, abandoned: () => void): () => void {
    const own: LogsWaiter = (logs) => done(logs);
    this.#waiters.add(own);
    return () => {
      if (!this.#waiters.delete(own) || this.#waiters.size > 0) return;
      this.#stop();
      abandoned();
    };
  }

  #ask(): void {
    this.#retry = undefined;
    const { number, hash } = this.#block;
    const params = `[{"blockHash":"${hash}"}]`;
    const giveUp = this.#parts.nodes.ask(
      { method: "eth_getLogs", params, block: number },
      (result) => believable(readBlockLogs(result, this.#block)),
      (logs) => this.#told(logs),
    );
    if (this.#retry === undefined && this.#waiters.size > 0) this.#giveUp = giveUp;
  }

  #told(logs: BlockLogs | undefined): void {
    this.#giveUp = undefined;
    const isOver = this.#parts.clock.monotonic() - this.#sinceMs >= this.#patienceMs;
    if (logs === undefined && !isOver) {
      this.#retry = this.#parts.timers.set(RETRY_MS, () => this.#ask());
      return;
    }
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    this.#ended(logs);
    for (const waiter of waiters) waiter(logs);
  }

  #stop(): void {
    this.#giveUp?.();
    if (this.#retry !== undefined) this.#parts.timers.clear(this.#retry);
    this.#retry = undefined;
  }
}

/** A node that has lost a block's logs says that there are none; its bloom says otherwise. */
const believable = (logs: BlockLogs | undefined): BlockLogs | undefined =>
  logs === undefined || logs.count === 0 ? undefined : logs;
