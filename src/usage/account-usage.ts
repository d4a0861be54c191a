import type { PlanConfig } from "../config/plans.ts";
import type { UnixMs } from "../lib/clock.ts";
import { DAY_MS, dayOf, endOf, isoDay } from "../lib/day.ts";
import type { DayBalance } from "../storage/ledger-store.ts";
import type { Account, Storage } from "../storage/store.ts";
import type { UsageRow } from "../storage/usage-store.ts";

/** The facts of an account that the usage of its day needs. */
export type UsageAccount = Pick<Account, "id" | "email" | "plan" | "limits">;

/** The plans of the configuration. One that is gone grants nothing. */
export type DailyPlans = Readonly<Record<string, Partial<Pick<PlanConfig, "dailyCredits">>>>;

export type UsageParts = {
  readonly storage: Pick<Storage, "ledger" | "usage">;
  readonly plans: DailyPlans;
};

/** An account's credits of a UTC day. used + left = limit, save where the limit was lowered since. */
export type AccountBalance = {
  /** The owner's e-mail. */
  readonly account: string;
  /** `2026-11-21`. */
  readonly day: string;
  /** Those of the plan, or of the account's own, and those that were added to the day. */
  readonly limit: number;
  readonly used: number;
  readonly left: number;
  /** Whole seconds until 00:00 UTC, at least 1. */
  readonly resetSeconds: number;
};

export type MethodUsage = {
  readonly network: string;
  readonly method: string;
  readonly calls: number;
  readonly credits: number;
};

/** `calls`: what was asked for today, by all keys and with any outcome; dearest first. */
export type AccountUsage = AccountBalance & { readonly calls: readonly MethodUsage[] };

/** @throws StorageError */
export async function accountBalance(
  { storage, plans }: { readonly storage: Pick<Storage, "ledger">; readonly plans: DailyPlans },
  account: UsageAccount,
  now: UnixMs,
): Promise<AccountBalance> {
  return balanceOf({ account, plans, now }, await storage.ledger.read(account.id, dayOf(now), now));
}

/** @throws StorageError */
export async function accountUsage(
  parts: UsageParts,
  account: UsageAccount,
  now: UnixMs,
): Promise<AccountUsage> {
  const from = dayOf(now) * DAY_MS;
  const [balance, rows] = await Promise.all([
    accountBalance(parts, account, now),
    parts.storage.usage.query({
      accountId: account.id,
      resolution: "day",
      from,
      to: from + DAY_MS,
    }),
  ]);
  return { ...balance, calls: byMethod(rows) };
}

export function balanceOf(
  of: { readonly account: UsageAccount; readonly plans: DailyPlans; readonly now: UnixMs },
  { used, added }: DayBalance,
): AccountBalance {
  const { account, plans, now } = of;
  const limit = dailyCreditsOf(account, plans) + added;
  const day = dayOf(now);
  return {
    account: account.email,
    day: isoDay(day),
    limit,
    used,
    left: Math.max(0, limit - used),
    resetSeconds: Math.ceil((endOf(day) - now) / 1000),
  };
}

export function dailyCreditsOf(
  { plan, limits }: Pick<Account, "plan" | "limits">,
  plans: DailyPlans,
): number {
  const granted = Object.hasOwn(plans, plan) ? plans[plan]?.dailyCredits : undefined;
  return limits.creditsPerDay ?? granted ?? 0;
}

function byMethod(rows: readonly UsageRow[]): MethodUsage[] {
  const sums = new Map<string, MethodUsage>();
  for (const { network, method, calls, credits } of rows) {
    const name = `${network}\n${method}`;
    const sum = sums.get(name);
    sums.set(name, {
      network,
      method,
      calls: calls + (sum?.calls ?? 0),
      credits: credits + (sum?.credits ?? 0),
    });
  }
  return [...sums.values()].sort(
    (a, b) =>
      b.credits - a.credits ||
      b.calls - a.calls ||
      order(a.network + a.method, b.network + b.method),
  );
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
