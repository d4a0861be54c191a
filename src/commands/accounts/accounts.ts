import { emailFault, planFault } from "../../access/account-checks.ts";
import { newAccount } from "../../access/new-account.ts";
import { isActive } from "../../access/new-key.ts";
import type { PlanConfig } from "../../config/plans.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import type { Account, Storage } from "../../storage/store.ts";
import { accountBalance, dailyCreditsOf } from "../../usage/account-usage.ts";
import { CommandError, count, isoTime, minute, type Output, refuse, table } from "../output.ts";
import { note } from "./audit.ts";
import { describeLimits } from "./limits.ts";

/** The plans of the configuration, by name. */
export type Plans = Readonly<Record<string, Partial<PlanConfig>>>;

/** The parts of the commands for accounts and keys. */
export type AccountParts = {
  readonly storage: Pick<Storage, "accounts" | "keys" | "audit">;
  readonly plans: Plans;
  readonly clock: Clock;
  readonly random: Random;
};

export type AccountRequest = {
  readonly email: string;
  readonly plan: string;
  readonly operator: boolean;
};

/**
 * `accounts create EMAIL --plan PLAN [--operator]`.
 * @throws CommandError for a malformed or taken e-mail and for an unknown plan
 */
export async function createAccount(parts: AccountParts, request: AccountRequest): Promise<Output> {
  const { storage, plans } = parts;
  const { email, plan, operator } = request;
  refuse(emailFault(email) ?? planFault(plans, plan));
  const account = newAccount(parts, request);
  if (!(await storage.accounts.insert(account))) {
    throw new CommandError(
      `there is an account of ${email} already; name another e-mail, or see: tollgate accounts list`,
    );
  }
  const { id } = account;
  const detail = { email, plan, operator };
  await note(parts, { accountId: id, action: "account.create", target: id, detail });
  const role = operator ? ", an operator" : "";
  const text = `account ${id} of ${email} on plan ${plan}${role}`;
  return { json: accountJson(account), text: text + creditless(account, plans) };
}

/** `accounts list`: oldest first. */
export async function listAccounts({ storage }: Pick<AccountParts, "storage">): Promise<Output> {
  const accounts = await storage.accounts.list();
  const rows = accounts.map((account) => [
    account.id,
    account.email,
    account.plan,
    stateOf(account),
    minute(account.createdAt),
  ]);
  const none = "no accounts yet; make one with: tollgate accounts create EMAIL --plan PLAN";
  const text = table(["ID", "E-MAIL", "PLAN", "STATE", "CREATED (UTC)"], rows);
  return { json: accounts.map(accountJson), text: rows.length === 0 ? none : text };
}

/** `accounts show EMAIL`: the account, its limits, its day and how many keys it has. */
export async function showAccount(
  parts: Pick<AccountParts, "plans" | "clock"> & {
    readonly storage: Pick<Storage, "accounts" | "keys" | "ledger">;
  },
  { email }: { readonly email: string },
): Promise<Output> {
  const { storage, clock } = parts;
  const now = clock.now();
  const account = await findAccount(storage, email);
  const { account: _, ...today } = await accountBalance(parts, account, now);
  const keys = await storage.keys.list(account.id);
  const active = keys.filter(({ key }) => isActive(key, now)).length;
  const lines = [
    `account ${account.id} of ${account.email}, ${stateOf(account)}, created ${minute(account.createdAt)} UTC`,
    `plan ${account.plan}; ${describeLimits(account.limits, "the plan's")}`,
    `${today.day}: ${count(today.used)} of ${count(today.limit)} credits used, ${count(today.left)} left`,
    `${keys.length} keys, ${active} of them active`,
  ];
  const json = { ...accountJson(account), today, keys: { all: keys.length, active } };
  return { json, text: lines.join("\n") };
}

/** @throws CommandError where no account has that e-mail */
export async function findAccount(
  storage: Pick<Storage, "accounts">,
  email: string,
): Promise<Account> {
  const account = await storage.accounts.findByEmail(email);
  if (account !== undefined) return account;
  throw new CommandError(
    `there is no account of ${JSON.stringify(email)}; see: tollgate accounts list`,
  );
}

/** Advice for an account whose plan leaves its credits to the account, as `custom` does. */
export function creditless(account: Account, plans: Plans): string {
  const perSecond = account.limits.creditsPerSecond ?? plans[account.plan]?.creditsPerSecond;
  if (dailyCreditsOf(account, plans) > 0 && perSecond !== 0) return "";
  return (
    `\nit has no credits yet, because the plan has none; give it its own with: ` +
    `tollgate accounts limit ${account.email} --daily N --per-second N`
  );
}

export const accountJson = (account: Account) => ({
  id: account.id,
  email: account.email,
  plan: account.plan,
  operator: account.operator,
  suspended: account.suspended,
  limits: account.limits,
  created: isoTime(account.createdAt),
});

function stateOf({ suspended, operator }: Account): string {
  if (suspended) return "suspended";
  return operator ? "operator" : "active";
}
