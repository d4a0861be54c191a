import { readOverlap, tooManyKeys } from "../../access/account-checks.ts";
import { DEFAULT_OVERLAP_MS, rotateKey as rotate } from "../../access/key-rotation.ts";
import type { Storage } from "../../storage/store.ts";
import { CommandError, isoTime, minute, type Output, unwrap, WITHIN_A_SECOND } from "../output.ts";
import { type AuditParts, note } from "./audit.ts";
import { describeNew, findKey, type KeyParts, label, maxKeysOf, unknownKey } from "./keys.ts";
import { changedLimits, describeLimits, type LimitRequest } from "./limits.ts";

/**
 * `keys rotate ID [--overlap 24h]`: another key with the same name, limits and allow-lists; the old
 * one works beside it until the overlap ends. The new key is shown once.
 * @throws CommandError for an unknown or ended key, a bad overlap, and above the plan's maxKeys
 */
export async function rotateKey(
  parts: KeyParts,
  request: { readonly id: string; readonly overlap?: string | undefined },
): Promise<Output> {
  const overlapMs =
    request.overlap === undefined ? DEFAULT_OVERLAP_MS : unwrap(readOverlap(request.overlap));
  const { key: old, account } = await findKey(parts.storage, request.id);
  const maxKeys = maxKeysOf(parts.plans, account.plan);
  const rotation = await rotate(parts, old, { overlapMs, maxKeys });
  if (rotation === "too_many_keys") throw new CommandError(tooManyKeys(account, maxKeys));
  if (rotation === "ended") {
    throw new CommandError(
      `${label(old)} has ended, so there is nothing to rotate; ` +
        "make a new one with: tollgate keys create --account EMAIL --name NAME",
    );
  }
  const { key, text, oldEndsAt } = rotation;
  const detail = { replaces: old.id, replacedEnds: isoTime(oldEndsAt) };
  await note(parts, { accountId: account.id, action: "key.rotate", target: key.id, detail });
  const json = { id: key.id, key: text, ...detail };
  const ends = `${label(old)} is refused from ${minute(oldEndsAt)} UTC on`;
  return { json, text: `${describeNew(key, account.email, text)}\n${ends}` };
}

/**
 * `keys limit ID --daily N --per-second N`: credits of the key's own, within its account's; 0 for
 * what the account has.
 * @throws CommandError
 */
export async function limitKey(
  parts: AuditParts & { readonly storage: Pick<Storage, "keys" | "audit"> },
  request: LimitRequest & { readonly id: string },
): Promise<Output> {
  const { storage } = parts;
  const { key } = await findKey(storage, request.id);
  const { id, accountId } = key;
  const limits = changedLimits(key.limits, request);
  if (!(await storage.keys.update(id, { limits }))) throw unknownKey(id);
  await note(parts, { accountId, action: "key.limits", target: id, detail: { ...limits } });
  const text = `${label(key)} has ${describeLimits(limits, "the account's")}; ${WITHIN_A_SECOND}`;
  return { json: { id, limits }, text };
}
