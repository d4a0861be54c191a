const TICK_MS = 20;
const SLOTS = 1024;

export type Timer = { readonly dueTick: number; run: () => void };

/** What most need of the wheel; a simulation gives its own. */
export type Timers = Pick<TimerWheel, "set" | "clear">;

/**
 * Many deadlines on one timer: setting and clearing one costs a Set operation, not a kernel or
 * runtime timer. Fires up to 40 ms late, never early. Idle, it keeps no timer and no process alive.
 */
export class TimerWheel {
  readonly #slots: Set<Timer>[] = Array.from({ length: SLOTS }, () => new Set<Timer>());
  readonly #now: () => number;
  #tick = 0;
  #pending = 0;
  #ticker: NodeJS.Timeout | undefined;

  /** `now`: milliseconds that never go back. */
  constructor(now: () => number) {
    this.#now = now;
  }

  set(delayMs: number, run: () => void): Timer {
    const current = Math.floor(this.#now() / TICK_MS);
    if (this.#pending === 0) this.#start(current);
    const dueTick = current + Math.ceil(delayMs / TICK_MS) + 1;
    const timer: Timer = { dueTick, run };
    this.#slot(dueTick).add(timer);
    this.#pending += 1;
    return timer;
  }

  clear(timer: Timer): void {
    if (!this.#slot(timer.dueTick).delete(timer)) return;
    this.#pending -= 1;
    // A set's outgrown tables still hold what was deleted: all that a call holds must not stay so.
    timer.run = nothing;
  }

  /** Runs what is due; called by the wheel's own ticker, and by tests. */
  advance(): void {
    const current = Math.floor(this.#now() / TICK_MS);
    const last = Math.min(current, this.#tick + SLOTS);
    while (this.#tick < last) {
      this.#tick += 1;
      for (const timer of this.#slot(this.#tick)) {
        if (timer.dueTick > current) continue;
        const { run } = timer;
        this.clear(timer);
        run();
      }
    }
    this.#tick = current;
    if (this.#pending === 0) this.#stop();
  }

  #slot(tick: number): Set<Timer> {
    return this.#slots[tick % SLOTS] as Set<Timer>;
  }

  #start(current: number): void {
    this.#tick = current;
    this.#ticker ??= setInterval(() => this.advance(), TICK_MS).unref();
  }

  #stop(): void {
    clearInterval(this.#ticker);
    this.#ticker = undefined;
  }
}

function nothing(): void {}
