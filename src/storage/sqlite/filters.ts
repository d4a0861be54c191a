import type { DatabaseSync } from "node:sqlite";
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
import type { Blocking } from "./database.ts";

export function filterStatements(db: DatabaseSync): Blocking<FilterStore> {
  const prune = db.prepare("DELETE FROM filters WHERE used_at <= ?");
  const insert = db.prepare(insertFilterSql("filters"));
  const find = db.prepare(findFilterSql("filters"));
  const move = db.prepare(moveFilterSql("filters"));
  const remove = db.prepare(removeFilterSql("filters"));
  return {
    insert: (filter, most, now) => {
      const over = overAt(now);
      prune.run(over);
      return insert.run({ ...filter, most, now, over }).changes === 1;
    },
    find: (id, now) => {
      const row = find.get({ id, over: overAt(now) }) as FilterRow | undefined;
      return row === undefined ? undefined : foundFilter(row);
    },
    move: (moved, now) => move.run({ ...moved, now, over: overAt(now) }).changes === 1,
    remove: (id, keyId, now) => remove.run({ id, keyId, over: overAt(now) }).changes === 1,
  };
}
