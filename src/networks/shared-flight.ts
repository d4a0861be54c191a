import type { Clock } from "../lib/clock.ts";
import type { Timers } from "../lib/timer-wheel.ts";
import type { Answer } from "./answers.ts";
import type { Plan } from "./network.ts";

/** Somebody who waits for the flight's answer. */
export type Waiter = {
  readonly plan: Plan;
  /** Monotonic milliseconds. */
  readonly deadlineMs: number;
  readonly done: (answer: Answer) => void;
};

export type SharedFlightOptions = {
  readonly key: string;
  readonly hash: number;
  /** Who asked first. */
  readonly lead: Waiter;
};

export type SharedFlightParts = {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  /** Asks once more, for those who still have time when the flight's own is over. */
  readonly again: (waiter: Waiter) => void;
};

/** Less is not worth another attempt. */
const WORTHWHILE_MS = 100;
/** An answer so shortly before the deadline came because of it. */
const LATE_MS = 60;

/** One question to the nodes, and all who asked it while it was in the air. */
export class SharedFlight {
  readonly key: string;
  readonly hash: number;
  readonly epoch: number;
  /** In the table of those in the air. */
  nextInTable: SharedFlight | undefined;
  #lead: Waiter | undefined;
  readonly #deadlineMs: number;
  readonly #parts: SharedFlightParts;
  #others: Waiter[] | undefined;

  /** `key`: what it asks, and `hash`, the key's. */
  constructor({ key, hash, lead }: SharedFlightOptions, parts: SharedFlightParts) {
    this.key = key;
    this.hash = hash;
    this.epoch = lead.plan.epoch;
    this.#lead = lead;
    this.#deadlineMs = lead.deadlineMs;
    this.#parts = parts;
  }

  get isShared(): boolean {
    return this.#others !== undefined;
  }

  /** Its answer is this one's too, unless this one's time is over before. */
  join(waiter: Waiter): void {
    this.#others ??= [];
    if (waiter.deadlineMs >= this.#deadlineMs) {
      this.#others.push(waiter);
      return;
    }
    let isOver = false;
    const end = (answer: Answer) => {
      if (isOver) return;
      isOver = true;
      this.#parts.timers.clear(timer);
      waiter.done(answer);
    };
    const leftMs = waiter.deadlineMs - this.#parts.clock.monotonic();
    const timer = this.#parts.timers.set(Math.max(leftMs, 0), () =>
      end({ kind: "exhausted", internal: "no answer in time" }),
    );
    this.#others.push({ ...waiter, done: end });
  }

  /** The answer came. */
  land(answer: Answer): void {
    const others = this.#others;
    const lead = this.#lead;
    this.#lead = undefined;
    this.#others = undefined;
    lead?.done(answer);
    if (others === undefined) return;
    const now = this.#parts.clock.monotonic();
    const isLate = now >= this.#deadlineMs - LATE_MS;
    const ranOut = isLate && (answer.kind === "exhausted" || answer.kind === "behind");
    for (const waiter of others) {
      // The time was the first one's: who came later has some left.
      if (ranOut && waiter.deadlineMs - now >= WORTHWHILE_MS) this.#parts.again(waiter);
      else waiter.done(answer);
    }
  }
}
