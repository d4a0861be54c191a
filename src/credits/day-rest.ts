import { dayOf } from "../lib/day.ts";
import type { Day } from "../storage/ledger-store.ts";
import type { BalanceParts } from "./balance-options.ts";

/** The rest of an owner's day in the store, as far as this process knows. */
export class DayRest {
  #day: Day = -1;
  #credits = 0;
  #learners: (() => void)[] | undefined;
  readonly #owner: string;
  readonly #parts: Pick<BalanceParts, "store" | "clock" | "health">;

  constructor(owner: string, parts: Pick<BalanceParts, "store" | "clock" | "health">) {
    this.#owner = owner;
    this.#parts = parts;
  }

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

  /** Asks the store once for all who want to know; `done` is called in any case. `limit`: of the day. */
  learn(done: () => void, limit: number): void {
    if (this.#learners !== undefined) {
      this.#learners.push(done);
      return;
    }
    this.#learners = [done];
    const { store, clock, health } = this.#parts;
    const day = dayOf(clock.now());
    store.read(this.#owner, day).then(
      ({ used, added }) => {
        if (this.#day !== day) this.set(day, Math.max(0, limit + added - used));
        this.#tell();
      },
      (error: unknown) => {
        health.failed(error);
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
