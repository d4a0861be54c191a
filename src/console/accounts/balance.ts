import type { UnixMs } from "../../lib/clock.ts";
import type { Account, Storage } from "../../storage/store.ts";
import { accountBalance, type DailyPlans } from "../../usage/account-usage.ts";
import type { Balance } from "../contract/accounts.ts";

const MINUTE_MS = 60_000;
/** The pace is that of so many minutes, the present one included. */
const PACE_MINUTES = 15;

export type BalanceParts = {
  readonly storage: Pick<Storage, "ledger" | "usage">;
  readonly plans: DailyPlans;
};

/** The ledger's own day, and how long it lasts at the pace of the last 15 minutes. @throws StorageError */
export async function balanceView(
  parts: BalanceParts,
  account: Account,
  now: UnixMs,
): Promise<Balance> {
  const from = (Math.floor(now / MINUTE_MS) - PACE_MINUTES + 1) * MINUTE_MS;
  const [{ account: _, ...today }, totals] = await Promise.all([
    accountBalance(parts, account, now),
    parts.storage.usage.totals({
      accountId: account.id,
      resolution: "minute",
      from,
      to: now + MINUTE_MS,
    }),
  ]);
  const credits = totals.reduce((sum, row) => sum + row.credits, 0);
  const pace = credits / ((now - from) / MINUTE_MS);
  return {
    ...today,
    perMinute: Math.round(pace),
    endsAt: endOf(now, today, pace),
  };
}

/** Whole minutes, because a pace is no more exact. */
function endOf(
  now: UnixMs,
  { left, resetSeconds }: { readonly left: number; readonly resetSeconds: number },
  pace: number,
): string | null {
  if (pace === 0) return null;
  const lastsMs = (left / pace) * MINUTE_MS;
  if (lastsMs >= resetSeconds * 1000) return null;
  return new Date(Math.floor((now + lastsMs) / MINUTE_MS) * MINUTE_MS).toISOString();
}
