import { newAccount } from "../../access/new-account.ts";
import type { Account } from "../../storage/store.ts";
import { isOwner } from "../api/access.ts";
import type { ApiParts } from "../api/parts.ts";
import type { SessionUser } from "../auth/sessions.ts";
import type { OwnAccount } from "../contract/session.ts";

/** The accounts of a user: their own first, then those that they were added to. */
export async function ownAccounts(
  { storage }: Pick<ApiParts, "storage">,
  user: SessionUser,
): Promise<readonly Account[]> {
  const [own, memberships] = await Promise.all([
    storage.accounts.findByEmail(user.email),
    storage.members.ofEmail(user.email),
  ]);
  const joined = await Promise.all(
    memberships.map(({ accountId }) => storage.accounts.findById(accountId)),
  );
  const others = joined.filter((account) => account !== undefined && account.id !== own?.id);
  return [
    ...(own === undefined ? [] : [own]),
    ...others.filter((account) => account !== undefined),
  ];
}

/** Where anybody may sign up: the account of a user who has none. The only place that makes it. */
export async function makeOwnAccount(
  { storage, clock, random, config }: Pick<ApiParts, "storage" | "clock" | "random" | "config">,
  { email }: SessionUser,
): Promise<{ readonly account: Account; readonly isNew: boolean } | undefined> {
  if (config.console?.signup !== "open") return undefined;
  const plan = config.console.signupPlan;
  const account = newAccount({ clock, random }, { email, plan, operator: false });
  if (await storage.accounts.insert(account)) return { account, isNew: true };
  // Another request of the same user was first.
  const found = await storage.accounts.findByEmail(email);
  return found && { account: found, isNew: false };
}

export function ownAccountView(account: Account, user: SessionUser): OwnAccount {
  const { id, email, plan, suspended } = account;
  return { id, email, plan, suspended, role: isOwner(user, account) ? "owner" : "member" };
}
