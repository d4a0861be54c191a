import { isOutcomeUnknown, type LedgerStore } from "../storage/store.ts";
import type { Lease } from "./lease.ts";
import type { StoreHealth } from "./store-health.ts";

export type GiveBackParts = {
  readonly store: Pick<LedgerStore, "giveBack">;
  readonly health: StoreHealth;
  /** Nothing is on its way any more. */
  readonly onIdle: () => void;
};

/**
 * Brings credits back to the day that they were taken from. One statement for a lease is in the air
 * at a time; what comes meanwhile goes with the next. What the store refused is tried again, unless nobody knows
 * whether it was carried out.
 */
export class CreditReturns {
  readonly #parts: GiveBackParts;
  readonly #refused = new Set<Lease>();
  #inTheAir = 0;
  #failing = false;

  constructor(parts: GiveBackParts) {
    this.#parts = parts;
  }

  add(lease: Lease, credits: number): void {
    lease.returning += credits;
    lease.of.returning += credits;
    if (lease.sending) return;
    if (this.#failing) this.#refused.add(lease);
    else this.#send(lease);
  }

  /** To be called now and then. While the store fails one statement finds out whether it still does. */
  retry(): void {
    for (const lease of this.#refused) {
      if (this.#failing && this.#inTheAir > 0) return;
      this.#send(lease);
    }
  }

  /** The store refused the last that was sent. */
  get isFailing(): boolean {
    return this.#failing;
  }

  get idle(): boolean {
    return this.#inTheAir === 0 && this.#refused.size === 0;
  }

  #send(lease: Lease): void {
    const credits = lease.returning;
    this.#refused.delete(lease);
    lease.sending = true;
    this.#inTheAir += 1;
    const returned = () => {
      lease.returning -= credits;
      lease.of.returning -= credits;
    };
    this.#parts.store.giveBack(lease.of.owner, lease.day, credits).then(
      () => {
        returned();
        this.#failing = false;
        this.#parts.health.answered();
        this.#sent(lease);
      },
      (error: unknown) => {
        // Sent twice, it could be carried out twice, and the day be overspent. It stays charged.
        if (isOutcomeUnknown(error)) returned();
        // Where nothing is left to be sent again, no statement would find out that the store works.
        this.#failing = lease.returning > 0 || this.#refused.size > 0;
        this.#parts.health.failed(error);
        this.#sent(lease);
      },
    );
  }

  #sent(lease: Lease): void {
    lease.sending = false;
    this.#inTheAir -= 1;
    if (lease.returning > 0) {
      if (this.#failing) this.#refused.add(lease);
      else this.#send(lease);
    }
    lease.of.onReturned();
    if (this.idle) this.#parts.onIdle();
  }
}
