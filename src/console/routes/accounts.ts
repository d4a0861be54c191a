import { accountView } from "../accounts/account-view.ts";
import { balanceView } from "../accounts/balance.ts";
import type { ApiParts } from "../api/parts.ts";
import { type BoundRoute, bind } from "../api/route.ts";
import { readAccount, readBalance } from "../contract/accounts.ts";

export function accountRoutes({ config, storage, clock }: ApiParts): BoundRoute[] {
  const { plans } = config;
  return [
    bind(readAccount, async ({ account, role }) => ({ ...accountView(account, plans), role })),
    bind(readBalance, ({ account }) => balanceView({ storage, plans }, account, clock.now())),
  ];
}
