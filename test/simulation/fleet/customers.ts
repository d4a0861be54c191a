import { createApiKey, displayPrefix, hashApiKey } from "../../../src/access/api-key.ts";
import type { Identity } from "../../../src/access/authenticator.ts";
import type { PlanConfig } from "../../../src/config/plans.ts";
import type { ApiKey, Limits, Storage } from "../../../src/storage/store.ts";
import type { SeededRandom } from "../seeded-random.ts";
import { hold } from "../violation.ts";

const NONE: Limits = { creditsPerDay: null, creditsPerSecond: null };
const CREATED_AT = 1;
/** Within which every gateway feels a change that was committed. */
const FELT_MS = 1000;
/** After the database was not well a gateway may wait for a statement so long, and begins anew. */
const STUCK_MS = 2500;

export type SimulatedKey = {
  readonly id: string;
  readonly text: string;
  readonly limits: Limits;
  /** In the simulation's time; Infinity: it is not. */
  revokedMs: number;
};
export type Customer = {
  readonly id: string;
  readonly plan: PlanConfig;
  readonly keys: readonly SimulatedKey[];
  limits: Limits;
  limitedMs: number;
};

type Parts = {
  readonly storage: Storage;
  readonly random: SeededRandom;
  /** Unlike that of any other schedule on the storage. */
  readonly name: string;
};

/** Accounts and their keys, one of which has a daily limit of its own; and what an operator changes about them. */
export class Customers {
  readonly all: Customer[] = [];
  readonly #storage: Storage;

  static async make(plans: Readonly<Record<string, PlanConfig>>, parts: Parts): Promise<Customers> {
    const customers = new Customers(parts.storage);
    for (const [plan, figures] of Object.entries(plans)) {
      customers.all.push(await customers.#add(plan, figures, parts));
    }
    return customers;
  }

  private constructor(storage: Storage) {
    this.#storage = storage;
  }

  async #add(plan: string, figures: PlanConfig, { random, name }: Parts): Promise<Customer> {
    const id = `${name}-${plan}`;
    const account = { id, email: `${id}@example.com`, plan, operator: false, suspended: false };
    await this.#storage.accounts.insert({ ...account, limits: NONE, createdAt: CREATED_AT });
    const perDay = Math.max(1000, Math.floor(figures.dailyCredits * random.between(0.05, 0.5)));
    const limited = { creditsPerDay: perDay, creditsPerSecond: null };
    const keys: SimulatedKey[] = [];
    for (const limits of [NONE, NONE, limited]) {
      const text = createApiKey((size) =>
        Buffer.from(Array.from({ length: size }, () => random.int(0, 255))),
      );
      const key = { id: `${id}-${keys.length}`, text, limits };
      keys.push({ ...key, revokedMs: Number.POSITIVE_INFINITY });
      await this.#storage.keys.insert(recordOf(key, id));
    }
    return { id, plan: figures, keys, limits: NONE, limitedMs: Number.NEGATIVE_INFINITY };
  }

  async revoke(key: SimulatedKey, nowMs: number): Promise<void> {
    await this.#storage.keys.revoke(key.id, Math.ceil(nowMs));
    key.revokedMs = Math.min(key.revokedMs, nowMs);
  }

  async limit(customer: Customer, limits: Limits, nowMs: number): Promise<void> {
    await this.#storage.accounts.update(customer.id, { limits });
    customer.limits = limits;
    customer.limitedMs = nowMs;
  }

  /**
   * A gateway took the key for this identity.
   * @throws Violation where it should have known better; `wellSinceMs`: of the database
   */
  check(
    { key, customer }: { readonly key: SimulatedKey; readonly customer: Customer },
    identity: Identity,
    { nowMs, wellSinceMs }: { readonly nowMs: number; readonly wellSinceMs: number },
  ): void {
    const feltMs = (changedMs: number) =>
      wellSinceMs <= 0
        ? changedMs + FELT_MS
        : Math.max(changedMs, wellSinceMs + STUCK_MS) + FELT_MS;
    hold(nowMs <= feltMs(key.revokedMs), () => `${key.id} is served, revoked at ${key.revokedMs}`);
    const { creditsPerDay } = identity.accountLimits;
    const isKnown = creditsPerDay === customer.limits.creditsPerDay;
    hold(
      isKnown || nowMs <= feltMs(customer.limitedMs),
      () => `${customer.id} has ${creditsPerDay} a day, limited at ${customer.limitedMs}`,
    );
  }
}

function recordOf(
  { id, text, limits }: Omit<SimulatedKey, "revokedMs">,
  accountId: string,
): ApiKey {
  return {
    ...{ id, accountId, name: id, limits, createdAt: CREATED_AT },
    ...{ hash: hashApiKey(text), prefix: displayPrefix(text), allow: {} },
    ...{ lastUsedAt: null, expiresAt: null, revokedAt: null },
  };
}
