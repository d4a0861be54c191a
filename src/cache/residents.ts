import type { Entry } from "./entry.ts";
import { Ghosts } from "./ghosts.ts";
import { Queue } from "./queue.ts";

/** The share of the bytes for entries that nobody has asked for again yet. */
const TRIAL_SHARE = 0.1;
const GHOSTS_SHARE = 1 / 64;
/** The largest share of its queue that one entry may take: it must not push out all others. */
const MOST_OF_QUEUE = 1 / 8;
/** Larger ones are kept when asked for a second time: most are asked for once. */
const LARGE_BYTES = 64 * 1024;
/** The most entries that are spared to evict one, however often they were used. This bounds the time. */
const MOST_SPARED = 256;
/** The least number of evicted entries that are remembered, however small the cache is. */
const LEAST_GHOSTS = 1024;

/**
 * Who stays, of all networks together: S3-FIFO (Yang et al., SOSP 2023) with queues in which large
 * and cheap answers are due before small and dear ones. A new entry is on trial in a small queue;
 * who is used there, or asked for again soon after leaving it, comes into the main queue.
 */
export class Residents {
  readonly #trial = new Queue();
  readonly #main = new Queue();
  readonly #ghosts: Ghosts;
  /** For entries: what the table of ghosts takes is not theirs. */
  readonly #mostBytes: number;
  #entries = 0;
  #evicted = 0;

  constructor(maxBytes: number) {
    this.#ghosts = new Ghosts(maxBytes * GHOSTS_SHARE);
    this.#mostBytes = maxBytes - this.#ghosts.bytes;
  }

  get isOff(): boolean {
    return this.#mostBytes <= 0;
  }

  get bytes(): number {
    return this.#trial.bytes + this.#main.bytes;
  }

  get entries(): number {
    return this.#entries;
  }

  get evicted(): number {
    return this.#evicted;
  }

  /** The queue that an answer of so many bytes may come into, if any. */
  queueFor(ghost: number, bytes: number): Queue | undefined {
    const trialBytes = this.#mostBytes * TRIAL_SHARE;
    if (bytes > (this.#mostBytes - trialBytes) * MOST_OF_QUEUE) return undefined;
    if (this.#ghosts.take(ghost, Math.max(LEAST_GHOSTS, this.#entries))) return this.#main;
    if (bytes <= Math.min(LARGE_BYTES, trialBytes * MOST_OF_QUEUE)) return this.#trial;
    this.#ghosts.add(ghost);
    return undefined;
  }

  /** Evicts until there is room first. The caller puts it into its network's table and index. */
  add(entry: Entry, queue: Queue): void {
    while (this.bytes + entry.bytes > this.#mostBytes) this.#evict();
    queue.push(entry);
    this.#entries++;
  }

  /** Out of its queue, its network and its block. */
  remove(entry: Entry): void {
    entry.queue?.remove(entry);
    entry.index?.remove(entry);
    entry.table.remove(entry);
    this.#entries--;
  }

  /** Makes room for a newer answer of the same key: who is asked again is no newcomer. */
  supersede(entry: Entry): void {
    this.#ghosts.add(entry.ghost);
    this.remove(entry);
  }

  #evict(): void {
    let entry = this.#next();
    for (let spared = 0; entry !== undefined && entry.uses > 0 && spared < MOST_SPARED; spared++) {
      // Its use on trial has earned it the main queue; there each earns it one more round.
      const uses = entry.queue === this.#trial ? 0 : entry.uses - 1;
      entry.queue?.remove(entry);
      entry.uses = uses;
      this.#main.push(entry);
      entry = this.#next();
    }
    if (entry === undefined) return;
    if (entry.queue === this.#trial) this.#ghosts.add(entry.ghost);
    this.remove(entry);
    this.#evicted++;
  }

  /** The entry to look at next: one on trial while those have more than their share. */
  #next(): Entry | undefined {
    const tooMany = this.#trial.bytes > this.#mostBytes * TRIAL_SHARE || this.#main.bytes === 0;
    return (tooMany ? this.#trial : this.#main).first;
  }
}
