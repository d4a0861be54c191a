import type { Timer, Timers } from "../lib/timer-wheel.ts";
import type { InAir, UpstreamRequest } from "./transport.ts";
import type { UpstreamAnswer } from "./upstream-answer.ts";

type Done = (answer: UpstreamAnswer) => void;

/** What a call travels in. */
export type Carrier = {
  /** Nobody waits for one of its calls any more. */
  readonly left: () => void;
};

/** One call from when it is taken in to its one answer, whatever it travels in meanwhile. */
export class BatchedCall implements InAir {
  readonly request: UpstreamRequest;
  carrier: Carrier | undefined;
  readonly #timers: Timers;
  readonly #timer: Timer;
  #done: Done | undefined;

  constructor(request: UpstreamRequest, timers: Timers, done: Done) {
    this.request = request;
    this.#timers = timers;
    this.#done = done;
    this.#timer = timers.set(request.timeoutMs, () => this.#leave()?.({ kind: "timeout" }));
  }

  /** Whether somebody waits for its answer. */
  get isOpen(): boolean {
    return this.#done !== undefined;
  }

  /** Its answer, unless it was told one, or was cancelled. */
  answer(answer: UpstreamAnswer): void {
    this.#timers.clear(this.#timer);
    this.#leave()?.(answer);
  }

  cancel(): void {
    this.#timers.clear(this.#timer);
    this.#leave();
  }

  #leave(): Done | undefined {
    const { carrier } = this;
    const done = this.#done;
    this.carrier = undefined;
    this.#done = undefined;
    carrier?.left();
    return done;
  }
}
