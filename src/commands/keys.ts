import { createApiKey, displayPrefix, hashApiKey } from "../access/api-key.ts";
import { createId } from "../access/ids.ts";
import type { ApiKey, KeyRecord } from "../storage/store.ts";
import { type AccountParts, findAccount } from "./accounts.ts";
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
  const { storage, clock, random, pepper } = parts;
  const name = checkName(request.name);
  const expiresAt = request.expires === undefined ? null : parseDate(request.expires);
  const account = await findAccount(storage, request.account);
  const maxKeys = maxKeysOf(parts, account.plan);

  const text = createApiKey(random);
  const key: ApiKey = {
    id: createId("key", random),
    accountId: account.id,
    name,
    hash: hashApiKey(text, pepper),
    prefix: displayPrefix(text),
    createdAt: clock.now(),
    lastUsedAt: null,
    expiresAt,
    revokedAt: null,
  };
  if (!(await storage.keys.insert(key, maxKeys))) {
    throw new CommandError(
      `${account.email} has ${maxKeys} active keys, as many as plan ${account.plan} allows; ` +
        "revoke one, or move the account to another plan",
    );
  }
  return { json: { id: key.id, key: text }, text: describe(key, account.email, text) };
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
  // Whoever gives the key itself must not find it in an error text or a log afterwards.
  if (id.startsWith("tg_")) {
    throw new CommandError(
      "a key is revoked by its id, such as key_3fGhK9mNpQ2; see: tollgate keys list",
    );
  }
  const key = await storage.keys.revoke(id, now);
  if (key === undefined) {
    throw new CommandError(`there is no key ${JSON.stringify(id)}; see: tollgate keys list`);
  }
  const label = `key ${key.id} (${key.name})`;
  const text =
    key.revokedAt === now
      ? `${label} is revoked: every running process refuses it within a second`
      : `${label} was revoked before, at ${minute(key.revokedAt)} UTC`;
  return { json: { id: key.id, revoked: isoTime(key.revokedAt) }, text };
}

function checkName(name: string): string {
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

function maxKeysOf({ plans }: KeyParts, plan: string): number | undefined {
  if (Object.hasOwn(plans, plan)) return plans[plan]?.maxKeys;
  throw new CommandError(
    `the account's plan ${JSON.stringify(plan)} is not in the configuration; ` +
      `its plans are ${Object.keys(plans).join(", ")}`,
  );
}

function stateOf(key: ApiKey, now: number): string {
  if (key.revokedAt !== null) return "revoked";
  return key.expiresAt !== null && key.expiresAt <= now ? "expired" : "active";
}

function describe(key: ApiKey, email: string, text: string): string {
  const end = key.expiresAt === null ? "without an end" : `until ${minute(key.expiresAt)} UTC`;
  const past = stateOf(key, key.createdAt) === "expired" ? ", which has passed: it is refused" : "";
  return [
    `key ${key.id} (${key.name}) of ${email}, ${end}${past}`,
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
});
