/** Millionths of a hedge: integers, so that ten calls at a share of 0.1 are one hedge. */
const ONE = 1_000_000;
/** For a moment in which many calls stall together, as when a node stops. */
const MOST = 10 * ONE;

/**
 * Keeps hedged requests to a share of the calls, so that a network whose nodes are all slow does
 * not get its load doubled. What was not used is saved up, 10 hedges at most; that is what it
 * begins with.
 */
export class HedgeBudget {
  readonly #perCall: number;
  #saved: number;

  /** `share`: hedges for each call, 0 to 1; with 0 there are none. */
  constructor(share: number) {
    this.#perCall = Math.round(share * ONE);
    this.#saved = this.#perCall > 0 ? MOST : 0;
  }

  /** A call began, which earns its share. */
  called(): void {
    this.#saved = Math.min(this.#saved + this.#perCall, MOST);
  }

  /** False where no hedge may be sent now. */
  tryTake(): boolean {
    if (this.#saved < ONE) return false;
    this.#saved -= ONE;
    return true;
  }
}
