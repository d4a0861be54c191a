import type { SystemTimers, UnixMs } from "../lib/clock.ts";
import type { LeftLease, LeftLeases } from "../storage/lease-journal.ts";
import type { LedgerStore } from "../storage/ledger-store.ts";

const RETRY_MS = 1000;
/** A store gathers them into one statement. */
const TOGETHER = 200;
/** Larger than the number of any series that the process began: it gave nothing back of that day that is known. */
const LAST_SERIES = Number.MAX_SAFE_INTEGER;

export type RecoveryParts = {
  readonly journal: LeftLeases;
  readonly store: Pick<LedgerStore, "take" | "giveBack">;
  readonly clock: { readonly now: () => UnixMs } & Pick<SystemTimers, "every">;
  /** Told when all of them have gone back. */
  readonly onDone: (leases: number) => void;
};

/**
 * Gives back what processes had leased that were killed, in their names. Each part of it may be done again: a take has
 * its number and what goes back is a total, so a process that is killed at this, too, leaves the same to the next.
 */
export class LeaseRecovery {
  readonly #parts: RecoveryParts;
  #leases = 0;
  #stopRounds: () => void = () => undefined;

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
  }

  start(): void {
    let isBusy = false;
    const look = async () => {
      if (isBusy) return;
      isBusy = true;
      const isDone = await this.run();
      isBusy = false;
      if (isDone) this.stop();
    };
    this.#stopRounds = this.#parts.clock.every(RETRY_MS, () => void look());
    void look();
  }

  stop(): void {
    this.#stopRounds();
  }

  /** Whether all have gone back. Where the store fails the rest is left to the next time. */
  async run(): Promise<boolean> {
    const { journal, onDone } = this.#parts;
    for (let left = journal.left(TOGETHER); left.length > 0; left = journal.left(TOGETHER)) {
      const results = await Promise.allSettled(left.map((lease) => this.#giveBack(lease)));
      if (results.some(({ status }) => status === "rejected")) return false;
      this.#leases += left.length;
    }
    if (this.#leases > 0) onDone(this.#leases);
    this.#leases = 0;
    return true;
  }

  async #giveBack(lease: LeftLease): Promise<void> {
    const { journal, store, clock } = this.#parts;
    const { owner, day, process, take } = lease;
    const grant = take && (await store.take({ ...take, now: clock.now() }));
    const arriving = (grant?.granted ?? 0) + (grant?.reserved ?? 0);
    const total = lease.total + arriving;
    const series = lease.series || LAST_SERIES;
    const back = { owner, day, process, series, total, unspent: 0, keepsThroughput: true };
    if (total > 0) await store.giveBack(back);
    journal.gone(lease);
  }
}
