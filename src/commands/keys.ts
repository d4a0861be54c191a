import { isActive, newKey } from "../access/new-key.ts";
import type { ApiKey, KeyRecord, Storage } from "../storage/store.ts";
import { redactKeys } from "../telemetry/redact.ts";
import { type AccountParts, findAccount, type Plans } from "./accounts.ts";
import { NO_LIMITS } from "./limits.ts";
import { CommandError, isoTime, minute, type Output, table } from "./output.ts";

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

const NAME_MAX_LENGTH = 100;

/**
 * `keys create --account EMAIL --name NAME [--expires DATE]`. The output is the only place in which
 * the key ever stands; the store gets its hash.
 * @throws CommandError for an unknown account, a bad name or date, and above the plan's maxKeys
 */
export async function createKey(parts: KeyParts, request: KeyRequest): Promise<Output> {
  const { storage, plans } = parts;
  const name = checkName(request.name);
  const expiresAt = request.expires === undefined ? null : parseDate(request.expires);
  const account = await findAccount(storage, request.account);
  const maxKeys = maxKeysOf(plans, account.plan);
  const grant = { accountId: account.id, name, expiresAt, limits: NO_LIMITS, allow: {} };
  const { text, key } = newKey(parts, grant);
  if (!(await storage.keys.insert(key, maxKeys))) throw tooManyKeys(account, maxKeys);
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
    stateOf(key, clock.now()),
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
  { storage, clock }: Pick<KeyParts, "storage" | "clock">,
  request: { readonly id: string },
): Promise<Output> {
  const { id } = request;
  const now = clock.now();
  checkId(id);
  const key = await storage.keys.revoke(id, now);
  if (key === undefined) throw unknownKey(id);
  const text =
    key.revokedAt === now
      ? `${label(key)} is revoked: every running process refuses it within a second`
      : `${label(key)} was revoked before, at ${minute(key.revokedAt)} UTC`;
  return { json: { id: key.id, revoked: isoTime(key.revokedAt) }, text };
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

export function tooManyKeys(
  { email, plan }: KeyRecord["account"],
  maxKeys: number | undefined,
): CommandError {
  return new CommandError(
    `${email} has ${maxKeys} active keys, as many as plan ${plan} allows; ` +
      "revoke one, or move the account to another plan",
  );
}

/** @throws CommandError where the plan is no longer in the configuration */
export function maxKeysOf(plans: Plans, plan: string): number | undefined {
  if (Object.hasOwn(plans, plan)) return plans[plan]?.maxKeys;
  throw new CommandError(
    `the account's plan ${JSON.stringify(plan)} is not in the configuration; ` +
      `its plans are ${Object.keys(plans).join(", ")}`,
  );
}

/** Whoever gives the key itself must not find it in an error text or a log afterwards. */
function checkId(id: string): void {
  if (!id.startsWith("tg_")) return;
  throw new CommandError(
    "a key is named by its id, such as key_3fGhK9mNpQ2; see: tollgate keys list",
  );
}

function checkName(name: string): string {
  if (redactKeys(name) !== name) throw new CommandError("a key's name must not hold a key");
  if (name.trim() !== "" && name.length <= NAME_MAX_LENGTH && !/\p{Cc}/u.test(name)) return name;
  throw new CommandError(
    `a key's name is 1 to ${NAME_MAX_LENGTH} printable characters, such as "backend"`,
  );
}

function parseDate(text: string): number {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  // Date.parse takes 2026-02-30 for March 2.
  if (isoTime(Number.isNaN(time) ? null : time)?.startsWith(text)) return time;
  throw new CommandError(`${JSON.stringify(text)} is no date; one looks like 2026-12-31`);
}

function stateOf(key: ApiKey, now: number): string {
  if (key.revokedAt !== null) return "revoked";
  return isActive(key, now) ? "active" : "expired";
}

/** The text that shows a new key, for people. */
export function describeNew(key: ApiKey, email: string, text: string): string {
  const end = key.expiresAt === null ? "without an end" : `until ${minute(key.expiresAt)} UTC`;
  const past = stateOf(key, key.createdAt) === "expired" ? ", which has passed: it is refused" : "";
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
