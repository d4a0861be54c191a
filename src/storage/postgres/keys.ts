import { isDeepStrictEqual } from "node:util";
import { limitChanges, limitValues } from "../rows/accounts.ts";
import { type KeyRow, keyRecordSql, toRecord } from "../rows/keys.ts";
import type { KeyRecord, KeyStore } from "../store.ts";
import { insertCounted } from "./counted-insert.ts";
import type { PostgresDatabase } from "./database.ts";

const RECORD = keyRecordSql("@keys", "@accounts");

export function keyStore(db: PostgresDatabase): KeyStore {
  const find = async (condition: string, value: string): Promise<KeyRecord | undefined> => {
    const [row] = await db.read<KeyRow>(`${RECORD} WHERE ${condition}`, { value });
    return row && toRecord(row);
  };
  return {
    insert: insertion(db),
    findByHash: (hash) => find("k.hash = :value", hash),
    findById: (id) => find("k.id = :value", id),
    list: async (accountId) => {
      const rows = await db.read<KeyRow>(
        `${RECORD} WHERE :accountId::text IS NULL OR k.account_id = :accountId
         ORDER BY k.created_at, k.id`,
        { accountId: accountId ?? null },
      );
      return rows.map(toRecord);
    },
    revoke: async (id, at) => {
      await db.change("UPDATE @keys SET revoked_at = :at WHERE id = :id AND revoked_at IS NULL", {
        id,
        at,
      });
      return (await find("k.id = :value", id))?.key;
    },
    update: changing(db),
    recordUse: async (uses) => {
      // Where the time stands still nothing is written. Rows are locked in one order.
      await db.change(
        `UPDATE @keys SET last_used_at = use.at
         FROM (
           SELECT k.id, u.at FROM unnest(:ids::text[], :times::bigint[]) AS u (id, at)
           JOIN @keys k ON k.id = u.id WHERE coalesce(k.last_used_at, -1) < u.at
           ORDER BY k.id FOR UPDATE OF k
         ) AS use
         WHERE @keys.id = use.id AND coalesce(@keys.last_used_at, -1) < use.at`,
        { ids: uses.map(({ id }) => id), times: uses.map(({ at }) => at) },
      );
    },
  };
}

const INSERT = `INSERT INTO @keys (id, account_id, name, hash, prefix, created_at, last_used_at, expires_at,
    revoked_at, credits_per_day, credits_per_second, allow)
  SELECT :id, :accountId, :name, :hash, :prefix, :createdAt::bigint, :lastUsedAt::bigint, :expiresAt::bigint,
    :revokedAt::bigint, :perDay::bigint, :perSecond::bigint, :allow
  WHERE :maxActive::bigint IS NULL OR :maxActive > (
    SELECT count(*) FROM @keys WHERE account_id = :accountId AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > :createdAt))`;

function insertion(db: PostgresDatabase): KeyStore["insert"] {
  return ({ limits, allow, ...key }, maxActive) => {
    const row = { ...key, ...limitValues(limits), allow: JSON.stringify(allow) };
    return insertCounted(db, INSERT, { ...row, maxActive: maxActive ?? null });
  };
}

const UPDATE = `UPDATE @keys SET name = coalesce(:name, name),
    credits_per_day = CASE :limited::int WHEN 1 THEN :perDay::bigint ELSE credits_per_day END,
    credits_per_second = CASE :limited::int WHEN 1 THEN :perSecond::bigint ELSE credits_per_second END,
    allow = coalesce(:allow, allow), expires_at = least(expires_at, :expiresAt::bigint)
  WHERE id = :id`;

function changing(db: PostgresDatabase): KeyStore["update"] {
  return (id, { name = null, limits, allow, expiresAt = null }, expected) => {
    const lists = allow === undefined ? null : JSON.stringify(allow);
    const values = { id, name, ...limitChanges(limits), allow: lists, expiresAt };
    return db.transaction(async (tx) => {
      if (expected !== undefined) {
        const sql = "SELECT allow FROM @keys WHERE id = :id FOR UPDATE";
        const [row] = await tx.read<Pick<KeyRow, "allow">>(sql, { id });
        // Compared as what they say, under the lock: the text may be written otherwise.
        if (row === undefined || !isDeepStrictEqual(JSON.parse(row.allow), expected)) return false;
      }
      return (await tx.change(UPDATE, values)) === 1;
    });
  };
}
