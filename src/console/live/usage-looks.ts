import { balanceView } from "../accounts/balance.ts";
import type { ApiParts } from "../api/parts.ts";
import { liveUsage } from "../contract/usage.ts";
import { spanOf } from "../usage/usage-span.ts";
import { tableOf } from "../usage/usage-table.ts";
import { Looks } from "./looks.ts";

/** The gateway writes usage each second: with its answer, a call shows within two. */
const LOOK_EVERY_MS = 500;

/** Balance and recent calls of each account that somebody looks at, by its id. */
export function usageLooks(parts: ApiParts): Looks {
  const { storage, clock, config, log } = parts;
  const { plans, usage } = config;
  return new Looks(
    async (id) => {
      const account = await storage.accounts.findById(id);
      if (account === undefined) throw new Error("the account is gone");
      const now = clock.now();
      const span = spanOf("15m", now, usage.keep);
      const [balance, totals] = await Promise.all([
        balanceView({ storage, plans }, account, now),
        storage.usage.totals({ accountId: id, ...span }),
      ]);
      const seen = liveUsage.parse({ balance, recent: tableOf(totals) });
      // A clock that goes on is no news.
      const mark = JSON.stringify({ ...seen, balance: { ...seen.balance, resetSeconds: 0 } });
      return { event: "usage", json: JSON.stringify(seen), mark };
    },
    { everyMs: LOOK_EVERY_MS, log, clock },
  );
}
