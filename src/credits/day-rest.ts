import type { Day, DayBalance } from "../storage/ledger-store.ts";

/** The rest of an owner's day in the store, as far as this process knows. */
export class DayRest {
  #day: Day = -1;
  #credits = 0;
  #learners: (() => void)[] | undefined;

  /** Infinity before anything is known. */
  get credits(): number {
    return this.#day < 0 ? Number.POSITIVE_INFINITY : this.#credits;
  }

  /** Undefined where nothing is known of this day. */
  of(day: Day): number | undefined {
    return this.#day === day ? this.#credits : undefined;
  }

  /** Takes over the rest that the store told last, of today. */
  set(day: Day, credits: number): void {
    this.#day = day;
    this.#credits = credits;
  }

  /** A limit changed, or credits go back. */
  change(credits: number): void {
    this.#credits = Math.max(0, this.#credits + credits);
  }

  /** Asks once for all who want to know; `done` is called in any case. Failures go to `failed`. */
  learn(
    done: () => void,
    ask: {
      readonly day: Day;
      readonly limit: number;
      readonly read: () => Promise<DayBalance>;
      readonly failed: (error: unknown) => void;
    },
  ): void {
    if (this.#learners !== undefined) {
      this.#learners.push(done);
      return;
    }
    this.#learners = [done];
    ask.read().then(
      ({ used, added }) => {
        if (this.#day !== ask.day) this.set(ask.day, Math.max(0, ask.limit + added - used));
        this.#tell();
      },
      (error: unknown) => {
        ask.failed(error);
        this.#tell();
      },
    );
  }

  #tell(): void {
    const learners = this.#learners ?? [];
    this.#learners = undefined;
    for (const learner of learners) learner();
  }
}
