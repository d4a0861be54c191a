import type { Random } from "../access/api-key.ts";
import { createId } from "../access/ids.ts";
import type { Clock } from "../lib/clock.ts";
import type { Account, Storage } from "../storage/store.ts";
import { CommandError, isoTime, minute, type Output, table } from "./output.ts";

/** The plans of the configuration, by name; what else stands in one is not looked at here. */
export type Plans = Readonly<Record<string, { readonly maxKeys?: number | undefined }>>;

/** What the commands for accounts and keys work with. */
export type AccountParts = {
  readonly storage: Pick<Storage, "accounts" | "keys">;
  readonly plans: Plans;
  readonly clock: Clock;
  readonly random: Random;
};

/** What browsers take in `<input type=email>` (WHATWG HTML, valid e-mail address); ASCII only. */
const EMAIL =
  /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i;
/** RFC 5321, 4.5.3.1.3: a path of 256 octets with its angle brackets. */
const EMAIL_MAX_LENGTH = 254;

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
  const { storage, plans, clock, random } = parts;
  const { email, plan, operator } = request;
  if (email.length > EMAIL_MAX_LENGTH || !EMAIL.test(email)) {
    throw new CommandError(
      `${JSON.stringify(email)} is no e-mail address; one looks like ada@example.com`,
    );
  }
  if (!Object.hasOwn(plans, plan)) {
    throw new CommandError(
      `there is no plan ${JSON.stringify(plan)}; the plans are ${Object.keys(plans).join(", ")}`,
    );
  }
  const id = createId("acc", random);
  const account = { id, email, plan, operator, suspended: false, createdAt: clock.now() };
  if (!(await storage.accounts.insert(account))) {
    throw new CommandError(
      `there is an account of ${email} already; name another e-mail, or see: tollgate accounts list`,
    );
  }
  const role = operator ? ", an operator" : "";
  return { json: toJson(account), text: `account ${id} of ${email} on plan ${plan}${role}` };
}

/** `accounts list`: oldest first. */
export async function listAccounts({ storage }: Pick<AccountParts, "storage">): Promise<Output> {
  const accounts = await storage.accounts.list();
  const rows = accounts.map((account) => [
    account.id,
    account.email,
    account.plan,
    account.suspended ? "suspended" : account.operator ? "operator" : "active",
    minute(account.createdAt),
  ]);
  const none = "no accounts yet; make one with: tollgate accounts create EMAIL --plan PLAN";
  const text = table(["ID", "E-MAIL", "PLAN", "STATE", "CREATED (UTC)"], rows);
  return { json: accounts.map(toJson), text: rows.length === 0 ? none : text };
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

const toJson = ({ id, email, plan, operator, suspended, createdAt }: Account): unknown => ({
  id,
  email,
  plan,
  operator,
  suspended,
  created: isoTime(createdAt),
});
