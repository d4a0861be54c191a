import type { Time, UnixMs } from "../lib/clock.ts";
import { isOutcomeUnknown } from "../storage/store.ts";
import type { UsageResolution, UsageStore } from "../storage/usage-store.ts";
import type { SettledCall } from "./minute-tally.ts";
import { type Batch, UnwrittenUsage } from "./unwritten-usage.ts";

export type { SettledCall };

/** A kill may cost the usage of so long. */
const WRITE_EVERY_MS = 1000;
/**
 * After a write of more rows the next one comes later: a row takes about 15 us of SQLite, whether it counts one
 * call or all of ten seconds.
 */
const ROWS_PER_SECOND = 1000;
const MOST_WAIT_MS = 10_000;
const PRUNE_EVERY_MS = 3_600_000;
/**
 * Between two pieces of what is dropped. Processes that wait for the store's lock look for it every 5 ms,
 * and have to find it free.
 */
const PRUNE_PAUSE_MS = 20;
/** One write takes about 10 ms in SQLite, and the ledger's questions wait behind it. */
const ROWS_PER_WRITE = 1000;
/** About 85 MB. A row is a key's method on a network with an outcome, in a minute. */
const MAX_ROWS = 100_000;

type NumberedBatch = Batch & { readonly number: number };

const callsOf = (buckets: Batch["buckets"]): number =>
  buckets.reduce((sum, { calls }) => sum + calls, 0);

export type UsageRecorderOptions = {
  /** `usage.keep` of the configuration, milliseconds. */
  readonly keep: { readonly minutes: number; readonly hours: number; readonly days: number };
  /** Bound of what is kept in memory. */
  readonly maxRows?: number;
  /** Unlike the name of any other process on the store. */
  readonly process: string;
};

export type UsageRecorderParts = {
  readonly store: Pick<UsageStore, "record" | "prune">;
  readonly clock: Time;
  /** Told once when the store begins to fail. */
  readonly onStoreFailure: (error: unknown) => void;
  /**
   * Told of calls that are counted nowhere: memory was full, or the store failed at the stop.
   */
  readonly onLost: (calls: number) => void;
};

/**
 * Counts what was served, to whom and at what cost, by minute. Counting costs a few look-ups; the
 * store gets what was added up in the background, every second. docs/usage.md
 */
export class UsageRecorder {
  readonly #options: UsageRecorderOptions;
  readonly #parts: UsageRecorderParts;
  readonly #unwritten: UnwrittenUsage;
  #lastNumber = 0;
  #nextWriteAtMs = 0;
  /** Nobody knows whether it was written. It is sent again, unchanged, before any other. */
  #inDoubt: NumberedBatch | undefined;
  #prunedAtMs = Number.NEGATIVE_INFINITY;
  #failing = false;
  #writesFail = false;
  #flushing: Promise<void> | undefined;
  #stopWriting: () => void = () => undefined;
  #stopPruning: () => void = () => undefined;
  #isStopping = false;

  constructor(options: UsageRecorderOptions, parts: UsageRecorderParts) {
    this.#options = options;
    this.#parts = parts;
    this.#unwritten = new UnwrittenUsage({ maxRows: options.maxRows ?? MAX_ROWS });
  }

  /** Begins to write. */
  start(): void {
    this.#stopWriting = this.#parts.clock.every(WRITE_EVERY_MS, () => {
      if (this.#parts.clock.monotonic() >= this.#nextWriteAtMs) void this.flush();
      else this.#unwritten.compact();
    });
  }

  /** Writes what is left. Afterwards nothing is written any more, so the gateway stops first. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#stopWriting();
    this.#stopPruning();
    await this.#flushing;
    await this.#write();
    const lost = this.#unwritten.calls + callsOf(this.#inDoubt?.buckets ?? []);
    if (lost > 0) this.#parts.onLost(lost);
  }

  /** Every call once, when it is settled. */
  record(call: SettledCall): void {
    const counted = this.#unwritten.add(call, this.#parts.clock.now());
    if (!counted) this.#parts.onLost(1);
  }

  /** The contract that an eth_call named, `0x…`. */
  contract(accountId: string, network: string, contract: string): void {
    const sketch = this.#unwritten.sketch(accountId, network, this.#parts.clock.now());
    this.#unwritten.addContract(sketch, contract);
  }

  /** Writes, and drops rows that are too old; `start` does so every second, once at a time. Never rejects. */
  flush(): Promise<void> {
    // Also while a write is stuck: what is counted meanwhile needs the room.
    this.#unwritten.compact();
    this.#flushing ??= this.#flush().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  /** The last write failed; it is tried again every second. */
  get isStoreFailing(): boolean {
    return this.#writesFail;
  }

  async #flush(): Promise<void> {
    if (!(await this.#write())) return;
    const sinceMs = this.#parts.clock.monotonic() - this.#prunedAtMs;
    if (sinceMs >= PRUNE_EVERY_MS) await this.#prune();
  }

  /** False where the store failed; what it did not take waits for the next time. */
  async #write(): Promise<boolean> {
    if (this.#inDoubt !== undefined && !(await this.#send(this.#inDoubt))) return false;
    const begunAtMs = this.#parts.clock.monotonic();
    const { waiting } = this.#unwritten;
    // Not what comes meanwhile: that is the next second's.
    for (let left = waiting; left > 0; left -= ROWS_PER_WRITE) {
      const batch = this.#unwritten.take(Math.min(left, ROWS_PER_WRITE));
      if (batch.buckets.length + batch.contracts.length === 0) continue;
      this.#lastNumber += 1;
      if (!(await this.#send({ ...batch, number: this.#lastNumber }))) return false;
    }
    this.#unwritten.dropPast();
    this.#nextWriteAtMs = begunAtMs + Math.min((waiting / ROWS_PER_SECOND) * 1000, MOST_WAIT_MS);
    return true;
  }

  async #send(batch: NumberedBatch): Promise<boolean> {
    const { buckets, contracts, number } = batch;
    const { process } = this.#options;
    try {
      await this.#parts.store.record(buckets, contracts, { process, number });
      this.#inDoubt = undefined;
      this.#failing = false;
      this.#writesFail = false;
      return true;
    } catch (error) {
      if (isOutcomeUnknown(error)) this.#inDoubt = batch;
      else if (this.#inDoubt === undefined) this.#unwritten.putBack(batch);
      this.#storeFailed(error);
      this.#writesFail = true;
      return false;
    }
  }

  /** A piece, and later the next one, so that writes and takes get in between. */
  async #prune(): Promise<void> {
    const { store, clock } = this.#parts;
    this.#prunedAtMs = clock.monotonic();
    try {
      const isMore = await store.prune(this.#oldest(clock.now()));
      if (!isMore || this.#isStopping) return;
      this.#stopPruning = clock.after(PRUNE_PAUSE_MS, () => void this.#prune());
    } catch (error) {
      // Not repeated before the next hour: what is too old harms nobody.
      this.#storeFailed(error);
    }
  }

  #oldest(nowMs: UnixMs): Record<UsageResolution, number> {
    const { minutes, hours, days } = this.#options.keep;
    return { minute: nowMs - minutes, hour: nowMs - hours, day: nowMs - days };
  }

  #storeFailed(error: unknown): void {
    if (!this.#failing) this.#parts.onStoreFailure(error);
    this.#failing = true;
  }
}
