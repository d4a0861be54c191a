import { emailFault, planFault } from "../../access/account-checks.ts";
import { isExplorerKey } from "../../access/explorer-key.ts";
import { newAccount } from "../../access/new-account.ts";
import { isActive } from "../../access/new-key.ts";
import { dayOf } from "../../lib/day.ts";
import type { Account, AccountChanges } from "../../storage/store.ts";
import { accountBalance } from "../../usage/account-usage.ts";
import { accountView } from "../accounts/account-view.ts";
import { balanceView } from "../accounts/balance.ts";
import { invite } from "../accounts/invitations.ts";
import { changedLimits } from "../accounts/limits.ts";
import { isOwner, notFound } from "../api/access.ts";
import type { ApiParts } from "../api/parts.ts";
import { Problem } from "../api/problem.ts";
import { type BoundRoute, bind } from "../api/route.ts";
import {
  changeAccount,
  createAccount,
  creditAccount,
  listAccounts,
  listPlans,
  type OperatorAccount,
  readAllUsage,
  readOperatorAccount,
} from "../contract/operator-accounts.ts";
import { isoTime } from "../iso-time.ts";
import { fleetSpanOf } from "../usage/usage-span.ts";

/** Shown of those that used most. */
const MOST_ACCOUNTS = 20;

export function operatorAccountRoutes(parts: ApiParts): BoundRoute[] {
  const { storage, config } = parts;
  return [
    bind(listAccounts, async ({ query }) => {
      const { accounts, next } = await storage.accounts.page(query);
      const items = accounts.map((account) => operatorView(parts, account));
      return { items: await Promise.all(items), next };
    }),
    creation(parts),
    bind(readOperatorAccount, async ({ params }) => {
      return operatorView(parts, await findAccount(parts, params.id));
    }),
    change(parts),
    credit(parts),
    allUsage(parts),
    bind(listPlans, async () => ({
      items: Object.entries(config.plans).map(([name, plan]) => ({
        name,
        dailyCredits: plan.dailyCredits,
        creditsPerSecond: plan.creditsPerSecond,
        failover: plan.failover,
        maxKeys: plan.maxKeys ?? null,
      })),
    })),
  ];
}

function creation(parts: ApiParts): BoundRoute {
  const { storage, clock, random, config } = parts;
  return bind(createAccount, async ({ user, body, note }) => {
    const { email, plan } = body;
    const fault = emailFault(email);
    if (fault !== undefined) throw new Problem("bad_request", fault, { field: "body.email" });
    checkPlan(parts, plan);
    const account = newAccount({ clock, random }, { email, plan, operator: false });
    if (!(await storage.accounts.insert(account))) {
      const text = `there is an account of ${email} already; look for it in the list`;
      throw new Problem("conflict", text, { field: "body.email" });
    }
    const isOpen = config.console?.signup !== "closed";
    const invited = isOpen && (await invite(parts, email, { by: user.email }));
    const { id } = account;
    note({ action: "account.create", target: id, accountId: id, detail: { email, plan, invited } });
    return operatorView(parts, account);
  });
}

function change(parts: ApiParts): BoundRoute {
  return bind(changeAccount, async ({ user, params, body, note }) => {
    const before = await findAccount(parts, params.id);
    const { plan, suspended } = body;
    if (plan !== undefined) checkPlan(parts, plan);
    if (suspended && isOwner(user, before)) {
      const text =
        "this is your own account: suspended, you could not resume it; ask another operator";
      throw new Problem("conflict", text, { field: "body.suspended" });
    }
    const limits = body.limits && changedLimits(before.limits, body.limits);
    const changes: AccountChanges = {
      ...(plan !== undefined && plan !== before.plan && { plan }),
      ...(suspended !== undefined && suspended !== before.suspended && { suspended }),
      ...(limits && { limits }),
    };
    if (!(await parts.storage.accounts.update(before.id, changes))) throw notFound();
    const of = { target: before.id, accountId: before.id };
    if (changes.plan !== undefined) {
      note({ action: "account.plan", ...of, detail: { before: before.plan, plan: changes.plan } });
    }
    if (changes.suspended !== undefined) {
      note({ action: changes.suspended ? "account.suspend" : "account.resume", ...of });
    }
    if (limits) note({ action: "account.limits", ...of, detail: { ...limits } });
    return operatorView(parts, { ...before, ...changes });
  });
}

function credit(parts: ApiParts): BoundRoute {
  const { storage, clock, config } = parts;
  return bind(creditAccount, async ({ params, body, note }) => {
    const account = await findAccount(parts, params.id);
    const { id } = account;
    const now = clock.now();
    await storage.ledger.add(id, dayOf(now), body.credits);
    const detail = { credits: body.credits };
    note({ action: "account.credit", target: id, accountId: id, detail });
    return balanceView({ storage, plans: config.plans }, account, now);
  });
}

function allUsage({ storage, clock }: ApiParts): BoundRoute {
  return bind(readAllUsage, async ({ query }) => {
    const { from, to, resolution } = fleetSpanOf(query.range, clock.now());
    const asked = { from, to, resolution, limit: MOST_ACCOUNTS };
    const { leading, all } = await storage.usage.topAccounts(asked);
    const accounts = await Promise.all(
      leading.map(async ({ accountId, ...used }) => {
        const account = await storage.accounts.findById(accountId);
        return {
          id: accountId,
          email: account?.email ?? null,
          plan: account?.plan ?? null,
          ...used,
        };
      }),
    );
    return { from: isoTime(from), to: isoTime(to), all, accounts };
  });
}

async function findAccount({ storage }: ApiParts, id: string): Promise<Account> {
  const account = await storage.accounts.findById(id);
  if (account === undefined) throw notFound();
  return account;
}

function checkPlan({ config }: ApiParts, plan: string): void {
  const fault = planFault(config.plans, plan);
  if (fault !== undefined) throw new Problem("bad_request", fault, { field: "body.plan" });
}

async function operatorView(
  { storage, config, clock }: ApiParts,
  account: Account,
): Promise<OperatorAccount> {
  const { plans } = config;
  const now = clock.now();
  const [{ used, limit }, records] = await Promise.all([
    accountBalance({ storage, plans }, account, now),
    storage.keys.list(account.id),
  ]);
  const made = records.filter(({ key }) => !isExplorerKey(key));
  const active = made.filter(({ key }) => isActive(key, now)).length;
  return {
    ...accountView(account, plans),
    ownLimits: account.limits,
    today: { used, limit },
    keys: { all: made.length, active },
  };
}
