import type { Timer, Timers } from "../lib/timer-wheel.ts";
import { waitersInTurns } from "../lib/turn-queue.ts";
import type { Upstream } from "../upstreams/upstream.ts";

type Waiter = {
  readonly least: number;
  readonly partner: boolean;
  readonly done: (reached: boolean) => void;
  readonly timer: Timer;
};

/** Calls that cannot go on before the head is known, or has come to a block. */
export class HeadWaiters {
  readonly #timers: Timers;
  readonly #waiting = new Set<Waiter>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** `done` is called once, later: whether the head reached `least` within the time. */
  add(
    { least, partner, timeoutMs }: Omit<Waiter, "done" | "timer"> & { readonly timeoutMs: number },
    done: (reached: boolean) => void,
  ): void {
    const timer = this.#timers.set(timeoutMs, () => this.#end(waiter, false));
    const waiter: Waiter = { least, partner, done, timer };
    this.#waiting.add(waiter);
  }

  /** `shown`: the head for those whom no partner can help. */
  reached(head: number, shown: number): void {
    waitersInTurns(this.#waiting, (waiter) => {
      if (waiter.least <= (waiter.partner ? head : shown)) this.#end(waiter, true);
    });
  }

  /** No primary answers: only those go on waiting whom a partner can help; `all`: nobody. */
  giveUp(all = false): void {
    waitersInTurns(this.#waiting, (waiter) => {
      if (all || !waiter.partner) this.#end(waiter, false);
    });
  }

  get wantsPartner(): boolean {
    for (const { partner } of this.#waiting) if (partner) return true;
    return false;
  }

  get size(): number {
    return this.#waiting.size;
  }

  #end(waiter: Waiter, reached: boolean): void {
    if (!this.#waiting.delete(waiter)) return;
    this.#timers.clear(waiter.timer);
    waiter.done(reached);
  }
}

/** Whether no primary is left that could tell a head: none has to be waited for. */
export function isHopeless(
  upstreams: readonly Pick<Upstream, "role" | "drained" | "chain" | "isReached">[],
): boolean {
  return upstreams.every(
    ({ role, drained, chain, isReached }) =>
      role === "partner" || drained || chain === "wrong" || isReached === false,
  );
}
