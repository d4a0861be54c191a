import { type AccountUsage, accountUsage, type UsageParts } from "../../usage/account-usage.ts";
import { count, type Output, table } from "../output.ts";
import type { AccountParts } from "./accounts.ts";
import { findAccount } from "./accounts.ts";

type Parts = Pick<AccountParts, "plans" | "clock"> & {
  readonly storage: UsageParts["storage"] & Pick<AccountParts["storage"], "accounts">;
};

/**
 * `usage --account EMAIL`: the credits of this UTC day, and the calls that they went to.
 * @throws CommandError for an unknown account
 */
export async function showUsage(
  parts: Parts,
  request: { readonly account: string },
): Promise<Output> {
  const account = await findAccount(parts.storage, request.account);
  const usage = await accountUsage(parts, account, parts.clock.now());
  return { json: usage, text: describe(usage) };
}

function describe({ account, day, limit, used, left, resetSeconds, calls }: AccountUsage): string {
  const minutes = Math.ceil(resetSeconds / 60);
  const until = `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  const head =
    `${account}, ${day} (UTC): ${count(used)} of ${count(limit)} credits used, ` +
    `${count(left)} left; the next day begins in ${until}`;
  if (calls.length === 0) return `${head}\nno calls yet`;
  const rows = calls.map((row) => [row.network, row.method, count(row.calls), count(row.credits)]);
  return `${head}\n\n${table(["NETWORK", "METHOD", "CALLS", "CREDITS"], rows)}`;
}
