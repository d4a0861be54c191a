import type { Account, Limits } from "../store.ts";

/** As both adapters' tables have it: flags are 0 or 1. */
export type AccountRow = {
  readonly id: string;
  readonly email: string;
  readonly plan: string;
  readonly operator: number;
  readonly suspended: number;
  readonly created_at: number;
  readonly credits_per_day: number | null;
  readonly credits_per_second: number | null;
};

type LimitValues = { readonly perDay: number | null; readonly perSecond: number | null };

export const limitValues = (limits: Limits): LimitValues => ({
  perDay: limits.creditsPerDay,
  perSecond: limits.creditsPerSecond,
});

/** Both limits or neither: null is a value of theirs, so a flag says which. */
export const limitChanges = (limits: Limits | undefined): LimitValues & { limited: number } =>
  limits === undefined
    ? { limited: 0, perDay: null, perSecond: null }
    : { limited: 1, ...limitValues(limits) };

export function toAccount(row: AccountRow): Account {
  return {
    id: row.id,
    email: row.email,
    plan: row.plan,
    operator: row.operator === 1,
    suspended: row.suspended === 1,
    limits: { creditsPerDay: row.credits_per_day, creditsPerSecond: row.credits_per_second },
    createdAt: row.created_at,
  };
}
