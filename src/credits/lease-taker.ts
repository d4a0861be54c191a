import type { MonotonicMs } from "../lib/clock.ts";
import type { Day, Grant, LedgerStore, TakeRequest } from "../storage/ledger-store.ts";
import { isOutcomeUnknown } from "../storage/store.ts";
import type { StoreHealth } from "./store-health.ts";

/** A call waits no longer for the store: a node may need 8 s, and clients give up at 10. */
export const PATIENCE_MS = 2000;
/** What another machine answers later than that may take for as long as a call waits. */
const LATE_MS = 250;

/** `ahead`: before any call waits for it. `reserve`: for when the store is away. */
export type Ask = {
  readonly least: number;
  readonly want: number;
  readonly reserve: number;
  readonly ahead: boolean;
};

type Rest = Omit<TakeRequest, "least" | "want" | "reserve" | "number" | "known" | "process">;
/** All that a grant may bring. */
export const creditsOf = ({ want, reserve }: Ask): number => want + reserve;

/** What the same take has in common however often it is asked. */
type Asked = Ask & Pick<TakeRequest, "number" | "day">;

export type TakerParts = {
  readonly store: Pick<LedgerStore, "take">;
  readonly health: StoreHealth;
  /** Its name, and a number that is larger each time. */
  readonly process: string;
  readonly nextNumber: () => number;
  /** The store does not know of a take that it had answered. */
  readonly onForgotten: () => void;
  /** Told before the store is. */
  readonly asked: (request: TakeRequest) => void;
  /** Undefined where the store could not answer. */
  readonly answered: (grant: Grant | undefined, ask: Ask) => void;
};

/**
 * Asks the store for one owner's credits, one statement at a time. A take of which nobody knows whether it
 * was carried out is asked again, by its number, before any other.
 */
export class LeaseTaker {
  readonly #parts: TakerParts;
  #inTheAir = false;
  #sentAtMs = 0;
  #inDoubt: Asked | undefined;
  /** The last one that was answered. */
  #known: Pick<Asked, "number" | "day"> | undefined;

  constructor(parts: TakerParts) {
    this.#parts = parts;
  }

  /** `rest`: of `dayToAsk`. */
  take(ask: Ask, rest: Rest, atMs: MonotonicMs): void {
    const { day } = rest;
    this.#send(this.#inDoubt ?? { ...ask, day, number: this.#parts.nextNumber() }, rest, atMs);
  }

  /** The day that the next take is of: that of a take in doubt, or today. */
  dayToAsk(today: Day): Day {
    return this.#inDoubt?.day ?? today;
  }

  get isTaking(): boolean {
    return this.#inTheAir;
  }

  /** Credits that the store may have granted without its answer arriving; 0: none. */
  get inDoubt(): number {
    return this.#inDoubt === undefined ? 0 : creditsOf(this.#inDoubt);
  }

  /** When the last question was sent. */
  get sentAtMs(): number {
    return this.#sentAtMs;
  }

  /** The store is so late that it may be away. */
  isLate(atMs: MonotonicMs): boolean {
    return this.#inTheAir && atMs - this.#sentAtMs >= LATE_MS;
  }

  /** The store is so late that nobody should wait for it. */
  isStalled(atMs: MonotonicMs): boolean {
    return this.#inTheAir && atMs - this.#sentAtMs >= PATIENCE_MS;
  }

  /** With the figures and the time of now. */
  #send(asked: Asked, rest: Rest, atMs: MonotonicMs): void {
    const { store, health, process } = this.#parts;
    const { ahead: _, ...same } = asked;
    this.#inTheAir = true;
    this.#sentAtMs = atMs;
    const known = this.#known?.day === asked.day ? this.#known.number : undefined;
    const request = { ...rest, ...same, process, known };
    this.#parts.asked(request);
    store.take(request).then(
      (grant) => {
        this.#inTheAir = false;
        this.#inDoubt = undefined;
        this.#known = asked;
        if (grant.isForgotten) this.#parts.onForgotten();
        health.answered();
        this.#parts.answered(grant, asked);
      },
      (error: unknown) => {
        this.#inTheAir = false;
        if (isOutcomeUnknown(error)) this.#inDoubt = asked;
        health.failed(error);
        this.#parts.answered(undefined, asked);
      },
    );
  }
}
