import type { DatabaseSync } from "node:sqlite";
import type { TokenStore } from "../console-stores.ts";
import { type TokenRow, tokenSql, toToken } from "../rows/tokens.ts";
import type { Blocking } from "./database.ts";

const TOKEN = tokenSql("api_tokens");

export function tokenStatements(db: DatabaseSync): Blocking<TokenStore> {
  const insert = db.prepare(
    `INSERT INTO api_tokens
       (id, account_id, name, hash, prefix, scopes, created_at, created_by, expires_at, last_used_at)
     SELECT :id, :accountId, :name, :hash, :prefix, :scopes, :createdAt, :createdBy, :expiresAt, :lastUsedAt
     WHERE :most > (SELECT count(*) FROM api_tokens WHERE account_id = :accountId)`,
  );
  const byHash = db.prepare(`${TOKEN} WHERE hash = ?`);
  const ofAccount = db.prepare(`${TOKEN} WHERE account_id = ? ORDER BY created_at, id`);
  const remove = db.prepare("DELETE FROM api_tokens WHERE account_id = ? AND id = ?");
  const use = db.prepare(
    "UPDATE api_tokens SET last_used_at = :at WHERE id = :id AND coalesce(last_used_at, -1) < :at",
  );
  return {
    insert: (token, most) =>
      insert.run({ ...token, scopes: JSON.stringify(token.scopes), most }).changes === 1,
    findByHash: (hash) => {
      const row = byHash.get(hash) as TokenRow | undefined;
      return row && toToken(row);
    },
    list: (accountId) => (ofAccount.all(accountId) as TokenRow[]).map(toToken),
    remove: (accountId, id) => remove.run(accountId, id).changes === 1,
    recordUse: (id, at) => {
      use.run({ id, at });
    },
  };
}
