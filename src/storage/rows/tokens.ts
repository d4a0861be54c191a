import type { ApiToken } from "../console-stores.ts";

export type TokenRow = Omit<ApiToken, "scopes"> & {
  /** JSON. */
  readonly scopes: string;
};

/** API tokens as the store tells them; a condition and an order may follow. */
export const tokenSql = (tokens: string): string =>
  `SELECT id, account_id AS "accountId", name, hash, prefix, scopes, created_at AS "createdAt",
     created_by AS "createdBy", expires_at AS "expiresAt", last_used_at AS "lastUsedAt"
   FROM ${tokens}`;

export const toToken = (row: TokenRow): ApiToken => ({
  ...row,
  scopes: JSON.parse(row.scopes) as ApiToken["scopes"],
});
