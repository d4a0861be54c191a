import type { SystemTimers } from "../../lib/clock.ts";

/** Of one statement. */
const MOST = 500;
/** What nobody waits for is asked so much later at the latest. */
const SOON_MS = 250;
/** A statement that takes longer, behind a lock or on a connection that is dead, holds up what comes next no longer. */
const PATIENCE_MS = 100;

type Waiting<Ask, Answer> = {
  readonly ask: Ask;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Asks in one statement for what was asked for while the last one was in the air: a statement for hundreds of
 * owners takes the database an eighth of the time of one for each of them.
 */
export class Gathering<Ask, Answer> {
  readonly #send: (asks: readonly Ask[]) => Promise<readonly Answer[]>;
  readonly #timers: Pick<SystemTimers, "after">;
  #waiting: Waiting<Ask, Answer>[] = [];
  #isBusy = false;
  /** Somebody waits for an answer that was not asked for yet. */
  #isUrgent = false;
  #isDueSoon = false;

  /** `send`: resolves to an answer for each, in their order. */
  constructor(
    send: (asks: readonly Ask[]) => Promise<readonly Answer[]>,
    timers: Pick<SystemTimers, "after">,
  ) {
    this.#send = send;
    this.#timers = timers;
  }

  /** Settles as `send` does for all that were asked for together. */
  ask(ask: Ask): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ask, resolve, reject });
      this.#isUrgent = true;
      if (!this.#isBusy) this.#begin();
    });
  }

  /** The same for what nobody waits for: it goes with the next statement. */
  askSoon(ask: Ask): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ask, resolve, reject });
      this.#beginSoon();
    });
  }

  #beginSoon(): void {
    if (this.#isBusy || this.#isDueSoon) return;
    this.#isDueSoon = true;
    this.#timers.after(SOON_MS, () => {
      this.#isDueSoon = false;
      if (!this.#isBusy && this.#waiting.length > 0) this.#begin();
    });
  }

  #begin(): void {
    this.#isBusy = true;
    // What is asked for in this turn goes along.
    queueMicrotask(() => this.#sendNext());
  }

  #sendNext(): void {
    const together = this.#waiting.slice(0, MOST);
    this.#waiting = this.#waiting.slice(MOST);
    // Who is left over was to go with these.
    this.#isUrgent = this.#waiting.length > 0;
    let isOver = false;
    const over = () => {
      if (isOver) return;
      isOver = true;
      stopWaiting();
      this.#isBusy = false;
      if (this.#isUrgent) this.#begin();
      else if (this.#waiting.length > 0) this.#beginSoon();
    };
    const stopWaiting = this.#timers.after(PATIENCE_MS, over);
    this.#send(together.map(({ ask }) => ask)).then(
      (answers) => {
        over();
        together.forEach(({ resolve, reject }, at) => {
          const answer = answers[at];
          if (answer === undefined) reject(new Error("a statement left an answer out"));
          else resolve(answer);
        });
      },
      (error: unknown) => {
        over();
        for (const { reject } of together) reject(error);
      },
    );
  }
}
