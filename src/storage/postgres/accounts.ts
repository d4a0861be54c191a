import { ageCursor, pageOf, readAgeCursor } from "../cursor.ts";
import { type AccountRow, limitChanges, limitValues, toAccount } from "../rows/accounts.ts";
import type { AccountStore } from "../store.ts";
import type { PostgresDatabase } from "./database.ts";

export function accountStore(db: PostgresDatabase): AccountStore {
  const find = async (condition: string, value: string) => {
    const [row] = await db.read<AccountRow>(`SELECT * FROM @accounts WHERE ${condition}`, {
      value,
    });
    return row && toAccount(row);
  };
  return {
    insert: async ({ id, email, plan, operator, suspended, limits, createdAt }) => {
      const flags = { operator: Number(operator), suspended: Number(suspended) };
      const row = { id, email, plan, ...flags, createdAt, ...limitValues(limits) };
      const sql = `INSERT INTO @accounts (id, email, plan, operator, suspended, created_at,
         credits_per_day, credits_per_second)
       VALUES (:id, :email, :plan, :operator, :suspended, :createdAt, :perDay, :perSecond)
       ON CONFLICT (lower(email)) DO NOTHING`;
      return (await db.change(sql, row)) === 1;
    },
    findByEmail: (email) => find("lower(email) = lower(:value)", email),
    findById: (id) => find("id = :value", id),
    list: async () => {
      const rows = await db.read<AccountRow>("SELECT * FROM @accounts ORDER BY created_at, id");
      return rows.map(toAccount);
    },
    page: async ({ search = "", after, limit }) => {
      const last = readAgeCursor(after);
      if (last === undefined) return { accounts: [], next: null };
      const part = search.toLowerCase();
      const rows = await db.read<AccountRow>(ACCOUNT_PAGE, { ...last, part, rows: limit + 1 });
      const { page, next } = pageOf(rows.map(toAccount), limit, ageCursor);
      return { accounts: page, next };
    },
    update: async (id, { plan = null, suspended, limits }) => {
      const flag = suspended === undefined ? null : Number(suspended);
      const sql = `UPDATE @accounts SET plan = coalesce(:plan, plan),
         suspended = coalesce(:flag::smallint, suspended),
         credits_per_day = CASE :limited::int WHEN 1 THEN :perDay::bigint ELSE credits_per_day END,
         credits_per_second = CASE :limited::int WHEN 1 THEN :perSecond::bigint ELSE credits_per_second END
       WHERE id = :id`;
      return (await db.change(sql, { id, plan, flag, ...limitChanges(limits) })) === 1;
    },
    // What refers to it goes with it.
    delete: async (id) => (await db.change("DELETE FROM @accounts WHERE id = :id", { id })) === 1,
  };
}

/** The part is searched for as it is: in LIKE, some of its characters would stand for others. */
const ACCOUNT_PAGE = `
  SELECT * FROM @accounts WHERE (created_at, id) > (:createdAt, :id)
    AND (:part = '' OR strpos(lower(email), :part) > 0 OR strpos(lower(id), :part) > 0)
  ORDER BY created_at, id LIMIT :rows`;
