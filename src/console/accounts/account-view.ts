import type { PlanConfig } from "../../config/plans.ts";
import type { Account } from "../../storage/store.ts";
import { dailyCreditsOf } from "../../usage/account-usage.ts";

/** The plans of the configuration, by name. */
export type PlanTable = Readonly<Record<string, PlanConfig>>;

/** An account as every page shows it. A plan that is gone grants nothing. */
export function accountView(account: Account, plans: PlanTable) {
  const { id, email, plan, suspended, operator, createdAt, limits } = account;
  const granted = Object.hasOwn(plans, plan) ? plans[plan] : undefined;
  return {
    ...{ id, email, plan, suspended, operator },
    created: new Date(createdAt).toISOString(),
    limits: {
      creditsPerDay: dailyCreditsOf(account, plans),
      creditsPerSecond: limits.creditsPerSecond ?? granted?.creditsPerSecond ?? 0,
    },
    maxKeys: granted?.maxKeys ?? null,
  };
}
