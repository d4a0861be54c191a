import { readOverlap, tooManyKeys } from "../../access/account-checks.ts";
import { listsDetail } from "../../access/audit-entry.ts";
import { isExplorerKey } from "../../access/explorer-key.ts";
import { DEFAULT_OVERLAP_MS, rotateKey as rotate } from "../../access/key-rotation.ts";
import { mostActiveKeys } from "../../access/most-keys.ts";
import { NO_LIMITS } from "../../access/new-account.ts";
import { newKey } from "../../access/new-key.ts";
import { openWith } from "../../fleet/open-by-key.ts";
import type { KeyChanges } from "../../storage/store.ts";
import {
  checkName,
  findKey,
  keyParts,
  maxKeysOf,
  readEnd,
  readLists,
} from "../accounts/key-requests.ts";
import { keyView } from "../accounts/key-view.ts";
import { changedLimits } from "../accounts/limits.ts";
import { notFound } from "../api/access.ts";
import type { ApiParts } from "../api/parts.ts";
import { Problem } from "../api/problem.ts";
import { type BoundRoute, bind } from "../api/route.ts";
import { changeKey, createKey, listKeys, revokeKey, rotateKey } from "../contract/keys.ts";

export function keyRoutes(parts: ApiParts): BoundRoute[] {
  return [listing(parts), creation(parts), change(parts), rotation(parts), revocation(parts)];
}

function listing({ storage, clock }: ApiParts): BoundRoute {
  return bind(listKeys, async ({ account }) => {
    const now = clock.now();
    const [records, processes] = await Promise.all([
      storage.keys.list(account.id),
      storage.fleet.list(now),
    ]);
    return {
      items: records.map(({ key }) => ({
        ...keyView(key, now),
        open: openWith(key.id, processes),
      })),
    };
  });
}

function creation(parts: ApiParts): BoundRoute {
  const { storage, clock, config } = parts;
  return bind(createKey, async ({ account, body, note }) => {
    checkName(body.name);
    const now = clock.now();
    const maxKeys = maxKeysOf(parts.config, account);
    const { text, key } = newKey(keyParts(parts), {
      accountId: account.id,
      name: body.name,
      expiresAt: body.expires == null ? null : readEnd(body.expires, now),
      limits: changedLimits(NO_LIMITS, body.limits),
      allow: readLists(body.allow ?? {}, config, {}),
    });
    const { keys } = storage;
    const most = maxKeys && (await mostActiveKeys(maxKeys, { keys, clock, accountId: account.id }));
    if (!(await keys.insert(key, most))) {
      throw new Problem("conflict", tooManyKeys(account, maxKeys));
    }
    const detail = { name: key.name, ...(body.expires != null && { expires: body.expires }) };
    note({ action: "key.create", target: key.id, detail });
    return { key: keyView(key, now), secret: text };
  });
}

function change(parts: ApiParts): BoundRoute {
  const { storage, clock, config } = parts;
  return bind(changeKey, async ({ account, params, body, note }) => {
    const key = await findKey(parts, account, params.key);
    if (body.name !== undefined && body.name !== key.name) checkName(body.name);
    const changes: KeyChanges = {
      ...(body.name !== undefined && { name: body.name }),
      ...(body.limits && { limits: changedLimits(key.limits, body.limits) }),
      ...(body.allow && { allow: readLists(body.allow, config, key.allow) }),
    };
    if (!(await storage.keys.update(key.id, changes))) throw notFound();
    const { name, limits, allow } = changes;
    const target = key.id;
    if (name !== undefined) note({ action: "key.name", target, detail: { name } });
    if (limits) note({ action: "key.limits", target, detail: { ...limits } });
    if (allow) note({ action: "key.allow", target, detail: listsDetail(allow) });
    return keyView({ ...key, ...changes }, clock.now());
  });
}

function rotation(parts: ApiParts): BoundRoute {
  const { storage, clock } = parts;
  return bind(rotateKey, async ({ account, params, body, note }) => {
    const old = await findKey(parts, account, params.key);
    if (isExplorerKey(old)) {
      throw new Problem("conflict", "this key belongs to the explorer; create one of your own");
    }
    const overlap =
      body.overlap === undefined ? { value: DEFAULT_OVERLAP_MS } : readOverlap(body.overlap);
    if ("fault" in overlap)
      throw new Problem("bad_request", overlap.fault, { field: "body.overlap" });
    const maxKeys = maxKeysOf(parts.config, account);
    const made = await rotate({ ...keyParts(parts), storage }, old, {
      overlapMs: overlap.value,
      maxKeys,
    });
    if (made === "too_many_keys") throw new Problem("conflict", tooManyKeys(account, maxKeys));
    if (made === "ended") {
      throw new Problem(
        "conflict",
        "the key has ended, so there is nothing to rotate; create a new one",
      );
    }
    const { key, text, oldEndsAt } = made;
    const replacedEnds = new Date(oldEndsAt).toISOString();
    note({ action: "key.rotate", target: key.id, detail: { replaces: old.id, replacedEnds } });
    return { key: keyView(key, clock.now()), secret: text, replaces: old.id, replacedEnds };
  });
}

function revocation(parts: ApiParts): BoundRoute {
  const { storage, clock } = parts;
  return bind(revokeKey, async ({ account, params, note }) => {
    const { id } = await findKey(parts, account, params.key);
    const now = clock.now();
    const key = await storage.keys.revoke(id, now);
    if (key === undefined) throw notFound();
    const { name } = key;
    if (key.revokedAt === now) note({ action: "key.revoke", target: id, detail: { name } });
    return keyView(key, now);
  });
}
