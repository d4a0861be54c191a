import type { PlanFigures } from "./leaves.ts";

/**
 * The plans that need no configuration; the file's `plans` can change them and add to them. No
 * maxKeys: any number. `custom` has no credits until an account is given its own figures.
 */
export const BUILT_IN_PLANS = Object.freeze({
  free: { dailyCredits: 3_000_000, creditsPerSecond: 500, failover: false, maxKeys: 5 },
  developer: { dailyCredits: 15_000_000, creditsPerSecond: 4_000, failover: false, maxKeys: 5 },
  team: { dailyCredits: 75_000_000, creditsPerSecond: 40_000, failover: false },
  growth: { dailyCredits: 200_000_000, creditsPerSecond: 40_000, failover: true },
  custom: { dailyCredits: 0, creditsPerSecond: 0, failover: true },
} satisfies Record<string, PlanConfig>);

/** One plan, whole. Credits count per UTC day and per second, for all keys of an account. */
export type PlanConfig = {
  readonly dailyCredits: number;
  readonly creditsPerSecond: number;
  /** Whether its calls may go to a partner when no primary can answer. */
  readonly failover: boolean;
  /** Keys that an account may have at a time; absent: any number. */
  readonly maxKeys?: number | undefined;
  /** Subscriptions of one key that may be open at a time, in each process; absent: MOST_SUBSCRIPTIONS. */
  readonly maxSubscriptions?: number | undefined;
};

export const MOST_SUBSCRIPTIONS = 100;

export function isBuiltIn(name: string): name is keyof typeof BUILT_IN_PLANS {
  return Object.hasOwn(BUILT_IN_PLANS, name);
}

/**
 * The built-in plans, changed and added to by the file's. A plan that is not built in must name
 * both its credits, which the caller has checked. No prototype, so any name is safe to look up.
 */
export function mergePlans(
  file: Readonly<Record<string, PlanFigures>>,
): Record<string, PlanConfig> {
  const plans: Record<string, PlanConfig> = Object.assign(Object.create(null), BUILT_IN_PLANS);
  for (const [name, figures] of Object.entries(file)) {
    const base = plans[name] ?? { dailyCredits: 0, creditsPerSecond: 0, failover: false };
    plans[name] = { ...base, ...figures } as PlanConfig;
  }
  return plans;
}
