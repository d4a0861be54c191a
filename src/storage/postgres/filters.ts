import type { FilterStore } from "../filter-store.ts";
import {
  type FilterRow,
  findFilterSql,
  foundFilter,
  insertFilterSql,
  moveFilterSql,
  overAt,
  removeFilterSql,
} from "../rows/filters.ts";
import type { PostgresDatabase } from "./database.ts";

const INSERT = `
  WITH gone AS (DELETE FROM @filters WHERE used_at <= :over AND id <> :id)
  ${insertFilterSql("@filters")}`;

/** Times are those of the gateways: five minutes are long beside what their clocks differ by. */
export function filterStore(db: PostgresDatabase): FilterStore {
  return {
    insert: async (filter, most, now) => {
      const values = { ...filter, most, now, over: overAt(now) };
      return (await db.change(INSERT, values)) === 1;
    },
    find: async (id, now) => {
      const values = { id, over: overAt(now) };
      const [row] = await db.read<FilterRow>(findFilterSql("@filters"), values);
      return row === undefined ? undefined : foundFilter(row);
    },
    move: async (moved, now) => {
      const values = { ...moved, now, over: overAt(now) };
      return (await db.change(moveFilterSql("@filters"), values)) === 1;
    },
    remove: async (id, keyId, now) => {
      const values = { id, keyId, over: overAt(now) };
      return (await db.change(removeFilterSql("@filters"), values)) === 1;
    },
  };
}
