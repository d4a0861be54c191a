import { accountView } from "../account-view.ts";
import { balanceView } from "../balance.ts";
import { readAccount, readBalance } from "../contract/accounts.ts";
import type { ApiParts } from "../parts.ts";
import { type BoundRoute, bind } from "../route.ts";

export function accountRoutes({ config, storage, clock }: ApiParts): BoundRoute[] {
  const { plans } = config;
  return [
    bind(readAccount, async ({ account, role }) => ({ ...accountView(account, plans), role })),
    bind(readBalance, ({ account }) => balanceView({ storage, plans }, account, clock.now())),
  ];
}
