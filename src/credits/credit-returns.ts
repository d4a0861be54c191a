import type { LedgerStore } from "../storage/ledger-store.ts";
import { type Lease, Series } from "./lease.ts";
import type { StoreHealth } from "./store-health.ts";

export type GiveBackParts = {
  readonly store: Pick<LedgerStore, "giveBack">;
  /** The name of the process, and a number that is larger each time. */
  readonly process: string;
  readonly nextNumber: () => number;
  readonly health: StoreHealth;
  readonly isRemote: boolean;
  /** Nothing is on its way any more. */
  readonly onIdle: () => void;
};

/**
 * Brings credits back to the day that they were taken from. One statement for an owner and day is in the air
 * at a time; what comes meanwhile goes with the next. What failed is sent again until the store has answered:
 * it is told the sum of all, so that nothing goes back twice.
 */
export class CreditReturns {
  readonly #parts: GiveBackParts;
  readonly #failed = new Set<Series>();
  #inTheAir = 0;
  #failing = false;

  constructor(parts: GiveBackParts) {
    this.#parts = parts;
  }

  add(lease: Lease, credits: number): void {
    const series = this.seriesOf(lease);
    series.total += credits;
    lease.of.returning += credits;
    if (series.sending) return;
    if (this.#failing) this.#failed.add(series);
    else this.#send(series);
  }

  /** The series in which credits of the lease go back. */
  seriesOf({ of, day }: Lease): Series {
    let series = of.series.get(day);
    if (series === undefined) {
      series = new Series(of, day, this.#parts.nextNumber());
      of.series.set(day, series);
    }
    return series;
  }

  /** To be called now and then. While the store fails one statement finds out whether it still does. */
  retry(): void {
    for (const series of this.#failed) {
      if (this.#failing && this.#inTheAir > 0) return;
      this.#send(series);
    }
  }

  /** The last that was sent failed. */
  get isFailing(): boolean {
    return this.#failing;
  }

  get idle(): boolean {
    return this.#inTheAir === 0 && this.#failed.size === 0;
  }

  #send(series: Series): void {
    const { store, process, health, isRemote: keepsThroughput } = this.#parts;
    const { of, day, number, total } = series;
    this.#failed.delete(series);
    series.sending = true;
    this.#inTheAir += 1;
    const told = { unspent: of.tell(day), keepsThroughput };
    store.giveBack({ owner: of.owner, day, process, series: number, total, ...told }).then(
      () => {
        of.returning -= total - series.arrived;
        series.arrived = total;
        this.#failing = false;
        health.answered();
        this.#sent(series);
      },
      (error: unknown) => {
        this.#failing = true;
        health.failed(error);
        this.#sent(series);
      },
    );
  }

  #sent(series: Series): void {
    const { of, day, total, arrived } = series;
    series.sending = false;
    this.#inTheAir -= 1;
    if (total === arrived) of.returned(day);
    else if (this.#failing) this.#failed.add(series);
    else this.#send(series);
    of.onReturned();
    if (this.idle) this.#parts.onIdle();
  }
}
