/** Millionths of an attempt: integers, so that ten calls at a share of 0.1 are one attempt. */
const ONE = 1_000_000;
/** For a moment in which many calls stall together, as when a node stops. */
const MOST_SAVED = 10;

/**
 * Keeps what is sent besides each call's first attempt to a share of the calls, so that a network whose
 * nodes are all slow does not get its load doubled. What was not used is saved up, so many at most;
 * that is what it begins with.
 */
export class AttemptBudget {
  readonly #perCall: number;
  readonly #most: number;
  #saved: number;

  /** `share`: attempts for each call, 0 to 1; with 0 there are none. */
  constructor(share: number, mostSaved = MOST_SAVED) {
    this.#perCall = Math.round(share * ONE);
    this.#most = mostSaved * ONE;
    this.#saved = this.#perCall > 0 ? this.#most : 0;
  }

  /** A call began, which earns its share. */
  called(): void {
    this.#saved = Math.min(this.#saved + this.#perCall, this.#most);
  }

  /** False where none may be sent now. */
  tryTake(): boolean {
    if (this.#saved < ONE) return false;
    this.#saved -= ONE;
    return true;
  }
}
