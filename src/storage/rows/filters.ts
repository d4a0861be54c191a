import type { UnixMs } from "../../lib/moments.ts";
import { FILTER_MS, type FoundFilter } from "../filter-store.ts";

export type FilterRow = {
  readonly id: string;
  readonly key_id: string;
  readonly network: string;
  readonly criteria: string;
  readonly place: string;
  readonly used_at: number;
};

export const foundFilter = (row: FilterRow): FoundFilter => ({
  id: row.id,
  keyId: row.key_id,
  network: row.network,
  criteria: row.criteria,
  place: row.place,
  usedAt: row.used_at,
});

/** The last moment whose filters are none any more. */
export const overAt = (now: UnixMs): UnixMs => now - FILTER_MS;

/** `table`: as the database names it. A repeated statement finds what it has written, and counts as done. */
export const insertFilterSql = (table: string): string => `
  INSERT INTO ${table} (id, key_id, network, criteria, place, used_at)
  SELECT :id, :keyId, :network, :criteria, :place, :now
  WHERE (
    SELECT count(*) FROM ${table} WHERE key_id = :keyId AND used_at > :over AND id <> :id
  ) < :most
  ON CONFLICT (id) DO UPDATE SET used_at = excluded.used_at`;

export const findFilterSql = (table: string): string => `
  SELECT id, key_id, network, criteria, place, used_at FROM ${table}
  WHERE id = :id AND used_at > :over`;

export const moveFilterSql = (table: string): string => `
  UPDATE ${table} SET place = :to, move = :move, used_at = :now
  WHERE id = :id AND used_at > :over AND (place = :from OR move = :move)`;

export const removeFilterSql = (table: string): string =>
  `DELETE FROM ${table} WHERE id = :id AND key_id = :keyId AND used_at > :over`;
