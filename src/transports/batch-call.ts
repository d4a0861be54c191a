import type { Timer, Timers } from "../lib/timer-wheel.ts";
import type { Asker, InAir, UpstreamRequest } from "./transport.ts";
import type { UpstreamAnswer } from "./upstream-answer.ts";

/** The exchange that a call travels in. */
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
  #asker: Asker | undefined;

  constructor(request: UpstreamRequest, timers: Timers, asker: Asker) {
    this.request = request;
    this.#timers = timers;
    this.#asker = asker;
    this.#timer = timers.set(request.timeoutMs, this);
  }

  /** Whether somebody waits for its answer. */
  get isOpen(): boolean {
    return this.#asker !== undefined;
  }

  /** Its answer, unless it was told one, or was cancelled. */
  answer(answer: UpstreamAnswer): void {
    this.#timers.clear(this.#timer);
    this.#leave()?.answered(answer);
  }

  /** Its time is over. */
  due(): void {
    this.#leave()?.answered({ kind: "timeout" });
  }

  cancel(): void {
    this.#timers.clear(this.#timer);
    this.#leave();
  }

  #leave(): Asker | undefined {
    const { carrier } = this;
    const asker = this.#asker;
    this.carrier = undefined;
    this.#asker = undefined;
    carrier?.left();
    return asker;
  }
}
