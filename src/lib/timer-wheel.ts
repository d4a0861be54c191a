import type { Time } from "./clock.ts";

export const TICK_MS = 20;
const SLOTS = 1024;
/** While nothing is due within so many ticks, the wheel looks once in all of them. */
const DOZE_TICKS = 10;
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

/** The first tick at which this delay has passed. */
export const dueTickAfter = (delayMs: number, nowMs: number): number =>
  Math.max(Math.floor(nowMs / TICK_MS) + 1, Math.ceil((nowMs + delayMs) / TICK_MS));

type WheelTime = Pick<Time, "monotonic" | "every">;

/** The part of the wheel that most need; a simulation gives its own. */
export type Timers = Pick<TimerWheel, "set" | "clear">;

/**
 * Many deadlines on one timer: setting and clearing one costs a place in an array, not a kernel or
 * runtime timer. Fires up to 40 ms late, never early; after a stall of the process, not before the
 * sockets were read; what is due at once with thousands, some in each turn of the event loop. It keeps no
 * process alive, and no timer while nothing is set.
 */
export class TimerWheel {
  /** Arrays: a Set that is filled and emptied makes tables anew, which the collector is slow to find. */
  readonly #slots: Timer[][] = Array.from({ length: SLOTS }, () => []);
  readonly #time: WheelTime;
  #tick = 0;
  #pending = 0;
  #stopTicking: (() => void) | undefined;
  /** The tick that it looks at next while it dozes: it ticks in time for what is due before. 0: it ticks. */
  #dozesTo = 0;
  /** The rest of what is due runs in the next turn. */
  #goesOn = false;

  constructor(time: WheelTime) {
    this.#time = time;
  }

  set(delayMs: number, due: Due): Timer {
    const nowMs = this.#time.monotonic();
    const dueTick = dueTickAfter(delayMs, nowMs);
    if (this.#pending === 0) this.#tick = Math.floor(nowMs / TICK_MS);
    if (this.#stopTicking === undefined || dueTick <= this.#dozesTo) this.#wakeEach(1);
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
    else if (!this.#isDueSoon()) this.#doze();
    else if (this.#dozesTo > 0) this.#wakeEach(1);
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

  /** A timer of a later round may stand in a slot, too. */
  #isDueSoon(): boolean {
    for (let ahead = 1; ahead <= DOZE_TICKS; ahead += 1) {
      if (this.#slot(this.#tick + ahead).length > 0) return true;
    }
    return false;
  }

  /** A gateway that nobody calls has timers too, of its heads; 50 ticks a second were a sixth of its CPU. */
  #doze(): void {
    if (this.#dozesTo === 0) this.#wakeEach(DOZE_TICKS);
    this.#dozesTo = this.#tick + DOZE_TICKS;
  }

  #wakeEach(ticks: number): void {
    this.#stop();
    this.#stopTicking = this.#time.every(ticks * TICK_MS, () => {
      if (!this.#goesOn) this.advance();
    });
  }

  #stop(): void {
    this.#stopTicking?.();
    this.#stopTicking = undefined;
    this.#dozesTo = 0;
  }
}

/** It is due. */
export function fire(due: Due): void {
  if (typeof due === "function") due();
  else due.due();
}

function nothing(): void {}
