import type { Clock } from "../lib/clock.ts";
import { dayOf } from "../lib/day.ts";
import type { PartnerLimits, PartnerStore } from "../storage/store.ts";

export type PartnerCapsOptions = {
  /** The network's name: the calls of all processes with this store count for it. */
  readonly network: string;
  /** Those that hold now. */
  readonly caps: () => PartnerLimits;
};

export type PartnerCapsParts = {
  readonly store: Pick<PartnerStore, "take">;
  readonly clock: Pick<Clock, "now">;
  /** Told when the store begins to fail, and again only after it had answered. */
  readonly onStoreFailure: (error: unknown) => void;
};

type Waiting = (allowed: boolean) => void;

/**
 * The hard caps on calls to the partners of one network, so that an outage cannot become a bill.
 * Each call is counted in the store before it is made. Calls that come while the store is asked
 * wait and go together: an outage sends everything this way, and the store has other work.
 */
export class PartnerCaps {
  readonly #options: PartnerCapsOptions;
  readonly #parts: PartnerCapsParts;
  #waiting: Waiting[] = [];
  #isAsking = false;
  #isFailing = false;
  /** A cap that was reached cannot be free again before the next UTC day, unless it is raised. */
  #usedUp: { readonly day: number; readonly caps: PartnerLimits } | undefined;

  constructor(options: PartnerCapsOptions, parts: PartnerCapsParts) {
    this.#options = options;
    this.#parts = parts;
  }

  /**
   * `done(true)`: the call is counted and may be made. `done(false)`: a cap is reached, or the store
   * does not answer, in which case nobody knows. Called once, at once where the answer is known.
   */
  take(done: (allowed: boolean) => void): void {
    if (this.#isUsedUp()) {
      done(false);
      return;
    }
    this.#waiting.push(done);
    if (!this.#isAsking) this.#ask();
  }

  #isUsedUp(): boolean {
    if (this.#usedUp === undefined) return false;
    const { day, caps } = this.#usedUp;
    const now = this.#options.caps();
    const isSame = now.day === caps.day && now.month === caps.month;
    return isSame && dayOf(this.#parts.clock.now()) === day;
  }

  #ask(): void {
    const { network } = this.#options;
    const caps = this.#options.caps();
    const asking = this.#waiting;
    const now = this.#parts.clock.now();
    this.#waiting = [];
    this.#isAsking = true;
    this.#parts.store.take({ network, now, calls: asking.length, caps }).then(
      (allowed) => {
        this.#isFailing = false;
        if (allowed < asking.length) this.#usedUp = { day: dayOf(now), caps };
        this.#settle(asking, allowed);
      },
      (error: unknown) => {
        if (!this.#isFailing) this.#parts.onStoreFailure(error);
        this.#isFailing = true;
        this.#settle(asking, 0);
      },
    );
  }

  #settle(asked: readonly Waiting[], allowed: number): void {
    this.#isAsking = false;
    if (this.#waiting.length > 0) this.#ask();
    asked.forEach((done, index) => {
      done(index < allowed);
    });
  }
}
