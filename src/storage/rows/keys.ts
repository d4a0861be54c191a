import type { AllowLists, ApiKey, KeyRecord } from "../store.ts";
import { type AccountRow, toAccount } from "./accounts.ts";

export type KeyRow = AccountRow & {
  readonly key_id: string;
  readonly account_id: string;
  readonly name: string;
  readonly hash: string;
  readonly prefix: string;
  readonly key_created_at: number;
  readonly last_used_at: number | null;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly key_credits_per_day: number | null;
  readonly key_credits_per_second: number | null;
  /** JSON. */
  readonly allow: string;
};

/** Rows of keys, `k`, with their accounts, `a`; a condition and an order may follow. */
export const keyRecordSql = (keys: string, accounts: string): string => `
  SELECT k.id AS key_id, k.account_id, k.name, k.hash, k.prefix, k.created_at AS key_created_at,
    k.last_used_at, k.expires_at, k.revoked_at, k.credits_per_day AS key_credits_per_day,
    k.credits_per_second AS key_credits_per_second, k.allow, a.*
  FROM ${keys} k JOIN ${accounts} a ON a.id = k.account_id`;

export function toRecord(row: KeyRow): KeyRecord {
  const key: ApiKey = {
    id: row.key_id,
    accountId: row.account_id,
    name: row.name,
    hash: row.hash,
    prefix: row.prefix,
    createdAt: row.key_created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    limits: {
      creditsPerDay: row.key_credits_per_day,
      creditsPerSecond: row.key_credits_per_second,
    },
    allow: JSON.parse(row.allow) as AllowLists,
  };
  return { key, account: toAccount(row) };
}
