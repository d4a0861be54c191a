import type { Day } from "../storage/ledger-store.ts";
import type { Lease } from "./lease.ts";
import type { Owner } from "./owner.ts";

/** The owners that pay for a call: its account, and the key if it has limits of its own. */
export type Payers = { readonly account: Owner; readonly key: Owner | undefined };

/** Credits that are held for one call until it is settled. */
export class Reservation {
  readonly credits: number;
  readonly #payers: Payers;
  readonly #lease: Lease;
  readonly #keyLease: Lease | undefined;

  constructor(
    credits: number,
    payers: Payers,
    leases: { readonly account: Lease; readonly key: Lease | undefined },
  ) {
    this.credits = credits;
    this.#payers = payers;
    this.#lease = leases.account;
    this.#keyLease = leases.key;
  }

  /** The UTC day that the call belongs to. */
  get day(): Day {
    return this.#lease.day;
  }

  settle(served: boolean): void {
    this.#payers.account.balance.settle(this.#lease, this.credits, served);
    const key = this.#keyLease;
    if (key !== undefined) this.#payers.key?.balance.settle(key, this.credits, served);
  }
}
