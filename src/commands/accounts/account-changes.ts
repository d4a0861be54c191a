import { planFault } from "../../access/account-checks.ts";
import type { AuditEvent } from "../../access/audit-entry.ts";
import { dayOf, isoDay } from "../../lib/day.ts";
import type { Account, AccountChanges, Storage } from "../../storage/store.ts";
import { balanceOf } from "../../usage/account-usage.ts";
import { CommandError, count, type Output, refuse, WITHIN_A_SECOND } from "../output.ts";
import { type AccountParts, accountJson, creditless, findAccount, type Plans } from "./accounts.ts";
import { type AuditParts, note } from "./audit.ts";
import { changedLimits, describeLimits, type LimitRequest, readCredits } from "./limits.ts";

type Accounts = AuditParts & { readonly storage: Pick<Storage, "accounts" | "audit"> };
type WithPlans = { readonly plans: Plans };

/**
 * `accounts set-plan EMAIL PLAN`. What was spent today stays spent, and limits of the account's own
 * stay in place of the new plan's.
 * @throws CommandError for an unknown account or plan
 */
export async function setPlan(
  parts: Accounts & WithPlans,
  request: { readonly email: string; readonly plan: string },
): Promise<Output> {
  const { storage, plans } = parts;
  const { plan } = request;
  refuse(planFault(plans, plan));
  const before = await findAccount(storage, request.email);
  const account = await change(storage, before, { plan });
  await noteOf(parts, account, { action: "account.plan", detail: { before: before.plan, plan } });
  const { creditsPerDay, creditsPerSecond } = account.limits;
  const own =
    creditsPerDay === null && creditsPerSecond === null
      ? ""
      : `\nits own limits stay: ${describeLimits(account.limits, "the plan's")}`;
  const text = `${account.email} is on plan ${account.plan}, before on ${before.plan}: ${WITHIN_A_SECOND}`;
  return { json: accountJson(account), text: text + own + creditless(account, plans) };
}

/**
 * `accounts limit EMAIL --daily N --per-second N`: the account's own credits in place of its
 * plan's; 0 for the plan's.
 * @throws CommandError
 */
export async function limitAccount(
  parts: Accounts & WithPlans,
  request: LimitRequest & { readonly email: string },
): Promise<Output> {
  const { storage, plans } = parts;
  const before = await findAccount(storage, request.email);
  const limits = changedLimits(before.limits, request);
  const account = await change(storage, before, { limits });
  await noteOf(parts, account, { action: "account.limits", detail: { ...limits } });
  const text = `${account.email} has ${describeLimits(limits, `those of plan ${account.plan}`)}`;
  return { json: accountJson(account), text: text + creditless(account, plans) };
}

/**
 * `accounts credit EMAIL N`: adds to the balance of this UTC day, and of no other.
 * @throws CommandError
 */
export async function creditAccount(
  parts: Omit<AccountParts, "storage"> & {
    readonly storage: Pick<Storage, "accounts" | "ledger" | "audit">;
  },
  request: { readonly email: string; readonly credits: string },
): Promise<Output> {
  const { storage, plans, clock } = parts;
  const credits = readCredits(request.credits, 1);
  const account = await findAccount(storage, request.email);
  const now = clock.now();
  const row = await storage.ledger.add(account.id, dayOf(now), credits);
  await noteOf(parts, account, { action: "account.credit", detail: { credits } });
  const balance = balanceOf({ account, plans, now }, row);
  const { account: email, ...today } = balance;
  const text =
    `${count(credits)} credits added to ${today.day} (UTC) of ${email}: ` +
    `${count(today.left)} left of ${count(today.limit)}`;
  return { json: { account: email, credits, added: row.added, ...today }, text };
}

/**
 * `accounts repair EMAIL`: after a clock was wrong, forgets the days after this UTC day, of the account
 * and of its keys, and gives this day a balance of its own. What was used of it stays used.
 * @throws CommandError
 */
export async function repairAccount(
  parts: Omit<AccountParts, "storage"> & {
    readonly storage: Pick<Storage, "accounts" | "keys" | "ledger" | "audit" | "fleet">;
  },
  request: { readonly email: string },
): Promise<Output> {
  const { storage, plans, clock } = parts;
  const account = await findAccount(storage, request.email);
  // Whoever repairs knows of it.
  const lostAt = await storage.fleet.lossFound();
  await storage.fleet.forgetLoss();
  const keys = await storage.keys.list(account.id);
  const owners = [account.id, ...keys.map(({ key }) => key.id)];
  const now = clock.now();
  const days = await storage.ledger.repair(owners, dayOf(now));
  const credits = days.reduce((sum, { used }) => sum + used, 0);
  await noteOf(parts, account, {
    action: "account.repair",
    detail: { days: days.length, credits },
  });
  const row = await storage.ledger.read(account.id, dayOf(now));
  const { account: email, ...today } = balanceOf({ account, plans, now }, row);
  const forgotten = days.map(({ owner, day, used }) => ({ owner, day: isoDay(day), used }));
  const lines = [
    `today is ${today.day} (UTC): ${email} has ${count(today.left)} of ${count(today.limit)} credits left`,
    ...forgotten.map(({ owner, day, used }) => {
      const of = owner === account.id ? "the account" : `key ${owner}`;
      return `forgotten: ${day}, of which ${of} had used ${count(used)} credits`;
    }),
  ];
  if (days.length === 0) lines.push("no later day was there to be forgotten");
  if (lostAt !== undefined) {
    lines.push(
      `gateways are ready again: commits were lost, found at ${new Date(lostAt).toISOString()}`,
    );
  }
  return { json: { account: email, ...today, forgotten }, text: lines.join("\n") };
}

/**
 * `accounts suspend EMAIL` and `accounts resume EMAIL`. Doing it again is no fault.
 * @throws CommandError for an unknown account
 */
export async function setSuspended(
  parts: Accounts,
  request: { readonly email: string; readonly suspended: boolean },
): Promise<Output> {
  const { storage } = parts;
  const { email, suspended } = request;
  const before = await findAccount(storage, email);
  if (before.suspended === suspended) {
    const state = suspended ? "suspended" : "active";
    return { json: accountJson(before), text: `${before.email} was ${state} before` };
  }
  const account = await change(storage, before, { suspended });
  const action = suspended ? "account.suspend" : "account.resume";
  await noteOf(parts, account, { action });
  const done = suspended ? "is suspended, its keys get 403" : "may call again";
  return { json: accountJson(account), text: `${account.email} ${done}: ${WITHIN_A_SECOND}` };
}

/**
 * `accounts delete EMAIL`: with its keys; its ledger and usage stay, for the books.
 * @throws CommandError for an unknown account
 */
export async function deleteAccount(
  parts: AuditParts & { readonly storage: Pick<Storage, "accounts" | "keys" | "audit"> },
  { email }: { readonly email: string },
): Promise<Output> {
  const { storage } = parts;
  const account = await findAccount(storage, email);
  const keys = (await storage.keys.list(account.id)).length;
  if (!(await storage.accounts.delete(account.id))) throw gone(account);
  const detail = { email: account.email, keys };
  await noteOf(parts, account, { action: "account.delete", detail });
  const text = `account ${account.id} of ${account.email} and its ${keys} keys are deleted: ${WITHIN_A_SECOND}`;
  return { json: { id: account.id, email: account.email, keys, deleted: true }, text };
}

/** @throws CommandError where no account has that e-mail */
export async function deletionQuestion(
  { storage }: { readonly storage: Pick<Storage, "accounts" | "keys"> },
  email: string,
): Promise<string> {
  const { id } = await findAccount(storage, email);
  const keys = (await storage.keys.list(id)).length;
  return `Delete account ${id} of ${email} and its ${keys} keys?`;
}

function noteOf(
  parts: AuditParts,
  { id }: Account,
  event: Pick<AuditEvent, "action" | "detail">,
): Promise<void> {
  return note(parts, { ...event, accountId: id, target: id });
}

async function change(
  storage: Pick<Storage, "accounts">,
  account: Account,
  changes: AccountChanges,
): Promise<Account> {
  if (!(await storage.accounts.update(account.id, changes))) throw gone(account);
  return { ...account, ...changes };
}

function gone({ email }: Account): CommandError {
  return new CommandError(`the account of ${email} was deleted by another command`);
}
