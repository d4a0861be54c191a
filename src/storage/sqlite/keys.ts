import type { DatabaseSync } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";
import { limitChanges, limitValues } from "../rows/accounts.ts";
import { type KeyRow, keyRecordSql, toRecord } from "../rows/keys.ts";
import type { AllowLists, KeyRecord, KeyStore } from "../store.ts";
import { type Blocking, transaction } from "./database.ts";

const RECORD = keyRecordSql("keys", "accounts");

export function keyStatements(db: DatabaseSync): Blocking<KeyStore> {
  const byHash = db.prepare(`${RECORD} WHERE k.hash = ?`);
  const byId = db.prepare(`${RECORD} WHERE k.id = ?`);
  const all = db.prepare(`${RECORD} ORDER BY k.created_at, k.id`);
  const ofAccount = db.prepare(`${RECORD} WHERE k.account_id = ? ORDER BY k.created_at, k.id`);
  const revoke = db.prepare("UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL");
  // Where the time stands still, nothing is written: the feed's trigger would take it for a change.
  const use = db.prepare(
    "UPDATE keys SET last_used_at = :at WHERE id = :id AND coalesce(last_used_at, -1) < :at",
  );
  const findById = (id: string): KeyRecord | undefined => {
    const row = byId.get(id) as KeyRow | undefined;
    return row && toRecord(row);
  };
  return {
    insert: insertion(db),
    findByHash: (hash) => {
      const row = byHash.get(hash) as KeyRow | undefined;
      return row && toRecord(row);
    },
    findById,
    list: (accountId) => {
      const rows = accountId === undefined ? all.all() : ofAccount.all(accountId);
      return (rows as KeyRow[]).map(toRecord);
    },
    revoke: (id, at) => {
      revoke.run(at, id);
      return findById(id)?.key;
    },
    update: changing(db, (id) => findById(id)?.key.allow),
    recordUse: (uses) =>
      transaction(db, () => {
        for (const { id, at } of uses) use.run({ id, at });
      }),
  };
}

function insertion(db: DatabaseSync): Blocking<KeyStore>["insert"] {
  const insert = db.prepare(
    `INSERT INTO keys (id, account_id, name, hash, prefix, created_at, last_used_at, expires_at,
       revoked_at, credits_per_day, credits_per_second, allow)
     SELECT :id, :accountId, :name, :hash, :prefix, :createdAt, :lastUsedAt, :expiresAt,
       :revokedAt, :perDay, :perSecond, :allow
     WHERE :maxActive IS NULL OR :maxActive > (
       SELECT count(*) FROM keys WHERE account_id = :accountId AND revoked_at IS NULL
         AND (expires_at IS NULL OR expires_at > :createdAt))`,
  );
  return ({ limits, allow, ...key }, maxActive) => {
    const values = { ...key, ...limitValues(limits), allow: JSON.stringify(allow) };
    return insert.run({ ...values, maxActive: maxActive ?? null }).changes === 1;
  };
}

function changing(
  db: DatabaseSync,
  listsOf: (id: string) => AllowLists | undefined,
): Blocking<KeyStore>["update"] {
  const update = db.prepare(
    `UPDATE keys SET name = coalesce(:name, name),
       credits_per_day = iif(:limited, :perDay, credits_per_day),
       credits_per_second = iif(:limited, :perSecond, credits_per_second),
       allow = coalesce(:allow, allow),
       expires_at = coalesce(min(expires_at, :expiresAt), :expiresAt, expires_at)
     WHERE id = :id`,
  );
  return (id, { name = null, limits, allow, expiresAt = null }, expected) => {
    const lists = allow === undefined ? null : JSON.stringify(allow);
    const row = { id, name, ...limitChanges(limits), allow: lists, expiresAt };
    let changed = false;
    // The lists are compared as what they say, under the write lock: the text may be written otherwise.
    transaction(db, () => {
      if (expected !== undefined && !isDeepStrictEqual(listsOf(id), expected)) return;
      changed = update.run(row).changes === 1;
    });
    return changed;
  };
}
