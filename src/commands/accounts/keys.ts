import { keyNameFault, readDate, tooManyKeys } from "../../access/account-checks.ts";
import { mostActiveKeys } from "../../access/most-keys.ts";
import { NO_LIMITS } from "../../access/new-account.ts";
import { keyState, newKey } from "../../access/new-key.ts";
import type { ApiKey, KeyRecord, Storage } from "../../storage/store.ts";
import { CommandError, isoTime, minute, type Output, refuse, table, unwrap } from "../output.ts";
import { type AccountParts, findAccount, type Plans } from "./accounts.ts";
import { note } from "./audit.ts";

export type KeyParts = AccountParts & {
  /** `keys.pepper` of the configuration. */
  readonly pepper?: string | undefined;
};

export type KeyRequest = {
  readonly account: string;
  readonly name: string;
  /** `2026-12-31`: refused from 00:00 UTC of that day on. */
  readonly expires?: string | undefined;
};

/**
 * `keys create --account EMAIL --name NAME [--expires DATE]`. The output is the only place in which
 * the key ever stands; the store gets its hash.
 * @throws CommandError for an unknown account, a bad name or date, and above the plan's maxKeys
 */
export async function createKey(parts: KeyParts, request: KeyRequest): Promise<Output> {
  const { storage, plans } = parts;
  const { name } = request;
  refuse(keyNameFault(name));
  const expiresAt = request.expires === undefined ? null : unwrap(readDate(request.expires));
  const account = await findAccount(storage, request.account);
  const maxKeys = maxKeysOf(plans, account.plan);
  const grant = { accountId: account.id, name, expiresAt, limits: NO_LIMITS, allow: {} };
  const { text, key } = newKey(parts, grant);
  const { keys } = storage;
  const most =
    maxKeys && (await mostActiveKeys(maxKeys, { keys, clock: parts.clock, accountId: account.id }));
  if (!(await keys.insert(key, most))) refuse(tooManyKeys(account, maxKeys));
  const detail = { name, ...(request.expires !== undefined && { expires: request.expires }) };
  await note(parts, { accountId: account.id, action: "key.create", target: key.id, detail });
  return { json: { id: key.id, key: text }, text: describeNew(key, account.email, text) };
}

/** `keys list [--account EMAIL]`: oldest first, ended ones too. */
export async function listKeys(
  { storage, clock }: Pick<KeyParts, "storage" | "clock">,
  request: { readonly account?: string | undefined },
): Promise<Output> {
  const account =
    request.account === undefined ? undefined : await findAccount(storage, request.account);
  const records = await storage.keys.list(account?.id);
  const rows = records.map(({ key, account: { email } }) => [
    key.id,
    email,
    key.name,
    `${key.prefix}…`,
    keyState(key, clock.now()),
    minute(key.createdAt),
    minute(key.lastUsedAt),
    minute(key.expiresAt),
  ]);
  const headings = ["ID", "ACCOUNT", "NAME", "KEY", "STATE", "CREATED (UTC)", "USED", "EXPIRES"];
  const none = "no keys yet; make one with: tollgate keys create --account EMAIL --name NAME";
  return { json: records.map(toJson), text: rows.length === 0 ? none : table(headings, rows) };
}

/**
 * `keys revoke ID`. A key that was revoked before stays so, which is no fault.
 * @throws CommandError for an unknown id
 */
export async function revokeKey(
  parts: Pick<KeyParts, "storage" | "clock" | "random">,
  { id }: { readonly id: string },
): Promise<Output> {
  const { storage, clock } = parts;
  const now = clock.now();
  checkId(id);
  const key = await storage.keys.revoke(id, now);
  if (key === undefined) throw unknownKey(id);
  const { accountId, name, revokedAt } = key;
  if (revokedAt === now) {
    await note(parts, { accountId, action: "key.revoke", target: key.id, detail: { name } });
  }
  const text =
    revokedAt === now
      ? `${label(key)} is revoked: every running process refuses it within a second`
      : `${label(key)} was revoked before, at ${minute(revokedAt)} UTC`;
  return { json: { id: key.id, revoked: isoTime(revokedAt) }, text };
}

/** @throws CommandError for an unknown id */
export async function revocationQuestion(
  { storage }: { readonly storage: Pick<Storage, "keys"> },
  id: string,
): Promise<string> {
  const { key, account } = await findKey(storage, id);
  return `Revoke ${label(key)} of ${account.email}?`;
}

/** @throws CommandError for an unknown id */
export async function findKey(storage: Pick<Storage, "keys">, id: string): Promise<KeyRecord> {
  checkId(id);
  const record = await storage.keys.findById(id);
  if (record === undefined) throw unknownKey(id);
  return record;
}

export const label = ({ id, name }: ApiKey): string => `key ${id} (${name})`;

export function unknownKey(id: string): CommandError {
  return new CommandError(`there is no key ${JSON.stringify(id)}; see: tollgate keys list`);
}

/** @throws CommandError where the plan is no longer in the configuration */
export function maxKeysOf(plans: Plans, plan: string): number | undefined {
  if (Object.hasOwn(plans, plan)) return plans[plan]?.maxKeys;
  throw new CommandError(
    `the account's plan ${JSON.stringify(plan)} is not in the configuration; ` +
      `its plans are ${Object.keys(plans).join(", ")}`,
  );
}

/** If the key itself is given in place of its id, it must not reach an error text or a log. */
function checkId(id: string): void {
  if (!id.startsWith("tg_")) return;
  throw new CommandError(
    "a key is named by its id, such as key_3fGhK9mNpQ2; see: tollgate keys list",
  );
}

/** The text that shows a new key, for people. */
export function describeNew(key: ApiKey, email: string, text: string): string {
  const end = key.expiresAt === null ? "without an end" : `until ${minute(key.expiresAt)} UTC`;
  const past =
    keyState(key, key.createdAt) === "expired" ? ", which has passed: it is refused" : "";
  return [
    `${label(key)} of ${email}, ${end}${past}`,
    "",
    `  ${text}`,
    "",
    "It is shown this once: only its hash is kept.",
  ].join("\n");
}

const toJson = ({ key, account }: KeyRecord): unknown => ({
  id: key.id,
  account: account.email,
  name: key.name,
  prefix: key.prefix,
  created: isoTime(key.createdAt),
  lastUsed: isoTime(key.lastUsedAt),
  expires: isoTime(key.expiresAt),
  revoked: isoTime(key.revokedAt),
  limits: key.limits,
  allow: key.allow,
});
