import { type CreditRefusal, Ledger, type Reservation } from "../src/credits/ledger.ts";
import type { CreditIdentity } from "../src/credits/plans.ts";
import type { LedgerStore } from "../src/storage/ledger-store.ts";
import { openMemory } from "../src/storage/memory.ts";
import { StorageError } from "../src/storage/store.ts";

export type FleetWorldOptions = {
  readonly gateways: number;
  /** Of each account. */
  readonly creditsPerSecond: number;
};

export const PRICE = 80;
const TICK_MS = 250;
const NOON_MS = 20_000 * 86_400_000 + 43_200_000;
const NO_LIMITS = { creditsPerDay: null, creditsPerSecond: null };

/** The ledgers of many gateways on one store, as the program has them, in a time of their own. */
export class FleetWorld {
  /** Takes and what goes back, that reached the store. */
  rows = 0;
  /** Credits of the calls that were served in each step. */
  served = 0;
  isStoreAway = false;
  readonly #ledgers: readonly Ledger[];
  readonly #ticks: (() => void)[] = [];
  readonly #store: LedgerStore = openMemory().ledger;
  #nowMs = 0;

  constructor({ gateways, creditsPerSecond }: FleetWorldOptions) {
    const plans = {
      plan: { dailyCredits: creditsPerSecond * 86_400, creditsPerSecond, failover: false },
    };
    const asked = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
      if (this.isStoreAway) throw new StorageError("the store is away");
      this.rows += 1;
      return ask();
    };
    const store: LedgerStore = {
      ...this.#store,
      take: (request) => asked(() => this.#store.take(request)),
      giveBack: (given) => asked(() => this.#store.giveBack(given)),
    };
    this.#ledgers = Array.from({ length: gateways }, (_, at) => {
      const ledger = new Ledger(
        { plans, process: `gateway-${at}`, isRemote: true },
        {
          store,
          scheduler: {
            now: () => NOON_MS + this.#nowMs,
            monotonic: () => this.#nowMs,
            elapsed: () => this.#nowMs,
            every: (_everyMs, run) => {
              this.#ticks.push(run);
              return () => undefined;
            },
          },
          onStoreFailure: () => undefined,
        },
      );
      ledger.start();
      return ledger;
    });
  }

  /** A call of this account at this gateway, served at once where it may be. */
  call(gateway: number, account: number): void {
    const ledger = this.#ledgers[gateway];
    if (ledger === undefined) return;
    const identity: CreditIdentity = {
      ...{ keyId: `key-${account}`, accountId: `account-${account}`, plan: "plan" },
      ...{ accountLimits: NO_LIMITS, keyLimits: NO_LIMITS },
    };
    const done = (outcome: Reservation | CreditRefusal) => {
      if ("kind" in outcome) return;
      this.served += PRICE;
      ledger.settle(outcome, true);
    };
    const outcome = ledger.admit(identity, PRICE, { admitted: done });
    if (outcome !== "waiting") done(outcome);
  }

  /** Time passes; the store answers, and each ledger looks after what it has, a part of them in each step. */
  async pass(ms: number): Promise<void> {
    const before = this.#nowMs;
    this.#nowMs += ms;
    for (const [at, tick] of this.#ticks.entries()) {
      const shiftMs = (at * TICK_MS) / this.#ticks.length;
      const turn = (timeMs: number) => Math.floor((timeMs + shiftMs) / TICK_MS);
      if (turn(before) !== turn(this.#nowMs)) tick();
    }
    for (let turns = 0; turns < 20; turns += 1) await undefined;
  }
}
