import type { Time } from "./clock.ts";

const TICK_MS = 20;
const SLOTS = 1024;
/** How long work that can wait goes on in one turn of the event loop. */
export const TURN_MS = 5;

/** Called when a timer is due. An object that has a timer for itself alone needs no function beside it. */
export type Due = (() => void) | { due(): void };

export type Timer = {
  readonly dueTick: number;
  due: Due;
  /** Its place in its slot; -1: it was run or cleared. */
  place: number;
};

type WheelTime = Pick<Time, "monotonic" | "every">;

/** The part of the wheel that most need; a simulation gives its own. */
export type Timers = Pick<TimerWheel, "set" | "clear">;

/**
 * Many deadlines on one timer: setting and clearing one costs a place in an array, not a kernel or
 * runtime timer. Fires up to 40 ms late, never early; after a stall of the process, not before the
 * sockets were read; what is due at once with thousands, some in each turn of the event loop. Idle, it
 * keeps no timer and no process alive.
 */
export class TimerWheel {
  /** Arrays: a Set that is filled and emptied makes tables anew, which the collector is slow to find. */
  readonly #slots: Timer[][] = Array.from({ length: SLOTS }, () => []);
  readonly #time: WheelTime;
  #tick = 0;
  #pending = 0;
  #stopTicking: (() => void) | undefined;
  /** The rest of what is due runs in the next turn. */
  #goesOn = false;

  constructor(time: WheelTime) {
    this.#time = time;
  }

  set(delayMs: number, due: Due): Timer {
    const current = Math.floor(this.#time.monotonic() / TICK_MS);
    if (this.#pending === 0) this.#start(current);
    const dueTick = current + Math.ceil(delayMs / TICK_MS) + 1;
    const slot = this.#slot(dueTick);
    const timer: Timer = { dueTick, due, place: slot.length };
    slot.push(timer);
    this.#pending += 1;
    return timer;
  }

  clear(timer: Timer): void {
    const { place } = timer;
    if (place < 0) return;
    const slot = this.#slot(timer.dueTick);
    const last = slot.pop();
    if (last !== undefined && last !== timer) {
      slot[place] = last;
      last.place = place;
    }
    timer.place = -1;
    this.#pending -= 1;
    // A caller that keeps the timer for a while must not keep everything that its call holds.
    timer.due = nothing;
  }

  /** Runs what is due; called by the wheel's own ticker, and by tests. */
  advance(): void {
    const beganMs = this.#time.monotonic();
    const current = Math.floor(beganMs / TICK_MS);
    const last = Math.min(current, this.#tick + SLOTS);
    while (this.#tick < last) {
      this.#tick += 1;
      const due = this.#slot(this.#tick).filter(({ dueTick }) => dueTick <= current);
      for (const timer of due) {
        // Cleared by one before it.
        if (timer.place < 0) continue;
        if (this.#time.monotonic() - beganMs >= TURN_MS) {
          this.#tick -= 1;
          this.#goOnSoon();
          return;
        }
        const { due: now } = timer;
        this.clear(timer);
        fire(now);
      }
    }
    this.#tick = current;
    if (this.#pending === 0) this.#stop();
  }

  #goOnSoon(): void {
    if (this.#goesOn) return;
    this.#goesOn = true;
    setImmediate(() => {
      this.#goesOn = false;
      this.advance();
    });
  }

  #slot(tick: number): Timer[] {
    return this.#slots[tick % SLOTS] as Timer[];
  }

  #start(current: number): void {
    this.#tick = current;
    this.#stopTicking ??= this.#time.every(TICK_MS, () => {
      if (!this.#goesOn) this.advance();
    });
  }

  #stop(): void {
    this.#stopTicking?.();
    this.#stopTicking = undefined;
  }
}

/** It is due. */
export function fire(due: Due): void {
  if (typeof due === "function") due();
  else due.due();
}

function nothing(): void {}
