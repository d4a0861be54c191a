import { keyNameFault, planFault, readDate } from "../../access/account-checks.ts";
import { readAllowLists } from "../../access/allow-entries.ts";
import type { NewKeyParts } from "../../access/new-key.ts";
import type { Config } from "../../config/schema.ts";
import type { UnixMs } from "../../lib/clock.ts";
import type { Account, AllowLists, ApiKey } from "../../storage/store.ts";
import { notFound } from "../api/access.ts";
import type { ApiParts } from "../api/parts.ts";
import { Problem } from "../api/problem.ts";

export function keyParts({ clock, random, config }: ApiParts): NewKeyParts {
  return { clock, random, pepper: config.keys.pepper };
}

/** @throws Problem where the account has no such key, whoever else has */
export async function findKey(
  { storage }: Pick<ApiParts, "storage">,
  account: Account,
  id: string,
): Promise<ApiKey> {
  const record = await storage.keys.findById(id);
  if (record?.account.id !== account.id) throw notFound();
  return record.key;
}

/** @throws Problem where the account's plan is no longer in the configuration */
export function maxKeysOf({ plans }: Pick<Config, "plans">, { plan }: Account): number | undefined {
  const fault = planFault(plans, plan);
  if (fault !== undefined) throw new Problem("conflict", `the account's plan is gone: ${fault}`);
  return plans[plan]?.maxKeys;
}

/** @throws Problem */
export function checkName(name: string): void {
  const fault = keyNameFault(name);
  if (fault !== undefined) throw new Problem("bad_request", fault, { field: "body.name" });
}

/** Unix milliseconds. @throws Problem where the day has begun already */
export function readEnd(date: string, now: UnixMs): number {
  const read = readDate(date);
  if ("value" in read && read.value > now) return read.value;
  const fault =
    "fault" in read ? read.fault : `${date} has already begun (UTC); choose a later day`;
  throw new Problem("bad_request", fault, { field: "body.expires" });
}

/** `present`: the key's lists as they are. @throws Problem that names the first wrong entry's kind */
export function readLists(
  lists: AllowLists,
  { networks }: Pick<Config, "networks">,
  present: AllowLists,
): AllowLists {
  const read = readAllowLists(lists, { networks: networks.map(({ name }) => name), present });
  if ("allow" in read) return read.allow;
  throw new Problem("bad_request", read.fault, { field: `body.allow.${read.kind}` });
}
