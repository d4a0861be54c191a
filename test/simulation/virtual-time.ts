import type { Clock } from "../../src/lib/clock.ts";
import {
  type Due,
  dueTickAfter,
  fire as fireDue,
  TICK_MS,
  type Timer,
  type Timers,
} from "../../src/lib/timer-wheel.ts";

const EPOCH_MS = Date.UTC(2026, 0, 1);
const BEGIN_MS = 1000;
/** To wait for it takes a turn, as for undefined, and makes no promise: a schedule waits thousands of times. */
export const NEXT_TURN: Promise<void> = Promise.resolve();

type Entry = {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
  /** Where it is a timer's, which may have been cleared. */
  readonly timer?: Timer;
};

/** Time that passes only from one event to the next; events of one moment come in order. */
export class VirtualTime implements Timers {
  readonly clock: Clock = { now: () => EPOCH_MS + this.#nowMs, monotonic: () => this.#nowMs };
  /** A heap: each entry comes before its two children. */
  readonly #heap: Entry[] = [];
  readonly #timers = new Set<Timer>();
  #nowMs = BEGIN_MS;
  #order = 0;

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Timers that were neither cleared nor run. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  after(delayMs: number, run: () => void): void {
    this.#push({ atMs: this.#nowMs + Math.max(delayMs, 0), order: this.#order++, run });
  }

  /** Fires when a timer wheel would: at a tick, never early. */
  set(delayMs: number, due: Due): Timer {
    const dueTick = dueTickAfter(delayMs, this.#nowMs);
    const timer: Timer = { dueTick, due, place: 0 };
    this.#timers.add(timer);
    const fire = () => {
      this.#timers.delete(timer);
      fireDue(due);
    };
    this.#push({ atMs: dueTick * TICK_MS, order: this.#order++, run: fire, timer });
    return timer;
  }

  clear(timer: Timer): void {
    this.#timers.delete(timer);
  }

  /** Runs all events up to then; promises are settled between two of them, others if `step` waits for them. */
  async run(untilMs: number, step: () => void | Promise<void>): Promise<void> {
    for (let first = this.#heap[0]; first !== undefined; first = this.#heap[0]) {
      if (first.atMs > untilMs) break;
      this.#pop();
      // Nearly all timers are cleared: nothing happens at their moments.
      if (first.timer !== undefined && !this.#timers.has(first.timer)) continue;
      this.#nowMs = first.atMs;
      first.run();
      await NEXT_TURN;
      const settled = step();
      if (settled !== undefined) await settled;
    }
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as Entry;
      if (isBefore(above, entry)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop() as Entry;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right !== undefined && isBefore(right, heap[child] as Entry)) child += 1;
      const below = heap[child] as Entry;
      if (isBefore(last, below)) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = last;
  }
}

const isBefore = (one: Entry, other: Entry): boolean =>
  one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
