import type { DatabaseSync } from "node:sqlite";
import { ageCursor, pageOf, readAgeCursor } from "../cursor.ts";
import { type AccountRow, limitChanges, limitValues, toAccount } from "../rows/accounts.ts";
import type { AccountStore } from "../store.ts";
import type { Blocking } from "./database.ts";

export function accountStatements(db: DatabaseSync): Blocking<AccountStore> {
  const insert = db.prepare(
    `INSERT INTO accounts (id, email, plan, operator, suspended, created_at,
       credits_per_day, credits_per_second)
     VALUES (:id, :email, :plan, :operator, :suspended, :createdAt, :perDay, :perSecond)
     ON CONFLICT (email) DO NOTHING`,
  );
  const byEmail = db.prepare("SELECT * FROM accounts WHERE email = ?");
  const byId = db.prepare("SELECT * FROM accounts WHERE id = ?");
  const all = db.prepare("SELECT * FROM accounts ORDER BY created_at, id");
  const update = db.prepare(
    `UPDATE accounts SET plan = coalesce(:plan, plan), suspended = coalesce(:suspended, suspended),
       credits_per_day = iif(:limited, :perDay, credits_per_day),
       credits_per_second = iif(:limited, :perSecond, credits_per_second)
     WHERE id = :id`,
  );
  const remove = db.prepare("DELETE FROM accounts WHERE id = ?");
  return {
    insert: ({ id, email, plan, operator, suspended, limits, createdAt }) => {
      const flags = { operator: Number(operator), suspended: Number(suspended) };
      const row = { id, email, plan, ...flags, createdAt, ...limitValues(limits) };
      return insert.run(row).changes === 1;
    },
    findByEmail: (email) => {
      const row = byEmail.get(email) as AccountRow | undefined;
      return row && toAccount(row);
    },
    findById: (id) => {
      const row = byId.get(id) as AccountRow | undefined;
      return row && toAccount(row);
    },
    page: paging(db),
    list: () => (all.all() as AccountRow[]).map(toAccount),
    update: (id, { plan, suspended, limits }) => {
      const flag = suspended === undefined ? null : Number(suspended);
      const row = { id, plan: plan ?? null, suspended: flag, ...limitChanges(limits) };
      return update.run(row).changes === 1;
    },
    // The trigger deletes its keys in the same statement.
    delete: (id) => remove.run(id).changes === 1,
  };
}

/** The part is searched for as it is: in LIKE, some of its characters would stand for others. */
export const ACCOUNT_PAGE = `
  SELECT * FROM accounts WHERE (created_at, id) > (:createdAt, :id)
    AND (instr(lower(email), :part) > 0 OR instr(lower(id), :part) > 0)
  ORDER BY created_at, id LIMIT :rows`;

function paging(db: DatabaseSync): Blocking<AccountStore>["page"] {
  const page = db.prepare(ACCOUNT_PAGE);
  return ({ search = "", after, limit }) => {
    const last = readAgeCursor(after);
    if (last === undefined) return { accounts: [], next: null };
    const rows = page.all({ ...last, part: search.toLowerCase(), rows: limit + 1 });
    const accounts = (rows as AccountRow[]).map(toAccount);
    const { page: found, next } = pageOf(accounts, limit, ageCursor);
    return { accounts: found, next };
  };
}
