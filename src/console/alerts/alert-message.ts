import type { UnixMs } from "../../lib/clock.ts";
import type { Account } from "../../storage/store.ts";
import type { AccountBalance } from "../../usage/account-usage.ts";

/** The body of a webhook, and all that a mail is written from. */
export type AlertMessage = {
  /** `usage.test`: somebody tries whether messages arrive. */
  readonly type: "usage.threshold" | "usage.test";
  /** ISO 8601, when the threshold was seen to be reached. */
  readonly timestamp: string;
  readonly data: {
    /** An id. */
    readonly account: string;
    /** The e-mail of the account's owner. */
    readonly email: string;
    /** UTC. */
    readonly day: string;
    /** Per cent. */
    readonly threshold: number;
    readonly used: number;
    readonly limit: number;
    readonly left: number;
  };
};

export function alertMessage(
  type: AlertMessage["type"],
  of: {
    readonly account: Account;
    readonly balance: AccountBalance;
    readonly threshold: number;
    readonly now: UnixMs;
  },
): AlertMessage {
  const { account, balance, threshold, now } = of;
  const { day, used, limit, left } = balance;
  const { id, email } = account;
  return {
    type,
    timestamp: new Date(now).toISOString(),
    data: { account: id, email, day, threshold, used, limit, left },
  };
}

/** The thresholds that the day has reached. A day without credits has none to use. */
export function reached(
  thresholds: readonly number[],
  { used, limit }: Pick<AccountBalance, "used" | "limit">,
): number[] {
  return limit === 0 ? [] : thresholds.filter((threshold) => used * 100 >= threshold * limit);
}
