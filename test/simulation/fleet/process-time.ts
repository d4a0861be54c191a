import type { Moments } from "../../../src/lib/clock.ts";
import { type Due, fire, type Timer, type Timers } from "../../../src/lib/timer-wheel.ts";
import type { VirtualTime } from "../virtual-time.ts";

/** The clock and the timers of one process: after a kill nothing of it runs any more. */
export class ProcessTime implements Timers, Moments {
  readonly now: () => number;
  readonly monotonic: () => number;
  readonly elapsed: () => number;
  readonly #time: VirtualTime;
  readonly #timers = new Set<Timer>();
  #isDead = false;

  /** `aheadMs`: of the simulation's Unix time. */
  constructor(time: VirtualTime, aheadMs: number) {
    this.#time = time;
    this.now = () => Math.floor(time.clock.now() + aheadMs);
    this.monotonic = time.clock.monotonic;
    this.elapsed = time.clock.monotonic;
  }

  kill(): void {
    this.#isDead = true;
    for (const timer of this.#timers) this.#time.clear(timer);
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  readonly set = (delayMs: number, due: Due): Timer => {
    const timer = this.#time.set(delayMs, () => {
      this.#timers.delete(timer);
      fire(due);
    });
    this.#timers.add(timer);
    return timer;
  };

  readonly clear = (timer: Timer): void => {
    this.#timers.delete(timer);
    this.#time.clear(timer);
  };

  readonly after = (delayMs: number, run: () => void): (() => void) => {
    let isOver = false;
    this.#time.after(delayMs, () => {
      if (!isOver && !this.#isDead) run();
    });
    return () => {
      isOver = true;
    };
  };

  readonly every = (intervalMs: number, run: () => void): (() => void) => {
    let end = () => {};
    const again = () => {
      end = this.after(intervalMs, () => {
        again();
        run();
      });
    };
    again();
    return () => end();
  };

  readonly atOneMoment = <Args extends readonly unknown[]>(
    run: (...args: Args) => void,
    ...args: Args
  ): void => run(...args);
}
