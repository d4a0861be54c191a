import type { CreditRefusal, CreditWaiter, Reservation } from "../../credits/ledger.ts";
import type { Timers } from "../../lib/timer-wheel.ts";
import { closeIfSpent, type EventMeter, type PricedEvent } from "../event-meter.ts";
import type { Subscriber, Subscription } from "../subscription.ts";
import { tail } from "./slot-topics.ts";

/** A client that leaves so many unread, or so many bytes of them, is not told the rest. */
const MOST_WAITING = 1000;
const MOST_WAITING_BYTES = 4 * 1024 * 1024;
/** Credits that cannot be counted: it is tried again. */
const AGAIN_MS = 500;

export type PushedOptions = {
  /** JSON text. */
  readonly id: string;
  /** A notification up to its result. */
  readonly beginning: string;
  readonly event: PricedEvent;
};

export type PushedParts = {
  readonly meter: EventMeter;
  readonly timers: Timers;
  /** Whoever tells it begins, or ends. */
  readonly began: (one: PushedSubscription) => void;
  readonly ended: () => void;
};

/** One whose notifications come from a node, and wait here until they are paid and its client reads. */
export class PushedSubscription implements Subscription, CreditWaiter {
  readonly id: string;
  readonly #options: PushedOptions;
  readonly #subscriber: Subscriber;
  readonly #parts: PushedParts;
  readonly #waiting: string[] = [];
  #waitingBytes = 0;
  #isWaiting = false;
  #isOver = false;

  constructor(options: PushedOptions, subscriber: Subscriber, parts: PushedParts) {
    this.id = options.id;
    this.#options = options;
    this.#subscriber = subscriber;
    this.#parts = parts;
  }

  /** Nothing is told a second time. */
  get lateCursor(): undefined {
    return undefined;
  }

  begin(): void {
    if (!this.#isOver) this.#parts.began(this);
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#waiting.length = 0;
    this.#parts.ended();
  }

  tell(result: string): void {
    if (this.#isOver) return;
    this.#waiting.push(result);
    this.#waitingBytes += result.length;
    this.advance();
    const isTooMuch = this.#waitingBytes > MOST_WAITING_BYTES && this.#waiting.length > 1;
    if (isTooMuch || this.#waiting.length > MOST_WAITING) this.fallBehind();
  }

  /** What comes next cannot be had. */
  fallBehind(): void {
    if (this.#isOver) return;
    this.end();
    this.#subscriber.close({ kind: "behind", cursor: undefined });
  }

  advance(): void {
    while (this.#waiting.length > 0 && !this.#isWaiting && !this.#subscriber.isFull) {
      this.#isWaiting = true;
      const { meter } = this.#parts;
      const outcome = meter.admit(this.#subscriber.identity, this.#options.event, this);
      if (outcome === "waiting") return;
      this.#take(outcome);
    }
  }

  /** The ledger's word, where it was waited for. */
  admitted(outcome: Reservation | CreditRefusal): void {
    this.#take(outcome);
    this.advance();
  }

  #take(outcome: Reservation | CreditRefusal): void {
    const { meter, timers } = this.#parts;
    if ("kind" in outcome) {
      if (this.#isOver || closeIfSpent(this.#subscriber, outcome)) return;
      timers.set(AGAIN_MS, () => {
        this.#isWaiting = false;
        this.advance();
      });
      return;
    }
    this.#isWaiting = false;
    const next = this.#waiting.shift();
    if (next === undefined) {
      meter.drop(outcome);
      return;
    }
    this.#waitingBytes -= next.length;
    const { identity, network } = this.#subscriber;
    const message = this.#options.beginning + tail(next);
    this.#subscriber.send([message]);
    meter.sent(outcome, this.#options.event, { identity, network, bytes: message.length });
  }
}
