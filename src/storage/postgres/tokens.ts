import type { TokenStore } from "../console-stores.ts";
import { type TokenRow, tokenSql, toToken } from "../rows/tokens.ts";
import { insertCounted } from "./counted-insert.ts";
import type { PostgresDatabase } from "./database.ts";

const TOKEN = tokenSql("@api_tokens");
const INSERT = `INSERT INTO @api_tokens
    (id, account_id, name, hash, prefix, scopes, created_at, created_by, expires_at, last_used_at)
  SELECT :id, :accountId, :name, :hash, :prefix, :scopes, :createdAt::bigint, :createdBy, :expiresAt::bigint,
    :lastUsedAt::bigint
  WHERE :most::bigint > (SELECT count(*) FROM @api_tokens WHERE account_id = :accountId)`;

export function tokenStore(db: PostgresDatabase): TokenStore {
  return {
    insert: (token, most) =>
      insertCounted(db, INSERT, { ...token, scopes: JSON.stringify(token.scopes), most }),
    findByHash: async (hash) => {
      const [row] = await db.read<TokenRow>(`${TOKEN} WHERE hash = :hash`, { hash });
      return row && toToken(row);
    },
    list: async (accountId) => {
      const sql = `${TOKEN} WHERE account_id = :accountId ORDER BY created_at, id`;
      return (await db.read<TokenRow>(sql, { accountId })).map(toToken);
    },
    remove: async (accountId, id) => {
      const sql = "DELETE FROM @api_tokens WHERE account_id = :accountId AND id = :id";
      return (await db.change(sql, { accountId, id })) === 1;
    },
    recordUse: async (id, at) => {
      await db.change(
        `UPDATE @api_tokens SET last_used_at = :at
         WHERE id = :id AND coalesce(last_used_at, -1) < :at`,
        { id, at },
      );
    },
  };
}
