import type { DatabaseSync } from "node:sqlite";
import type { Account, AccountStore } from "../store.ts";
import type { Blocking } from "./database.ts";

/** As the schema types it (STRICT tables). */
export type AccountRow = {
  readonly id: string;
  readonly email: string;
  readonly plan: string;
  readonly operator: number;
  readonly suspended: number;
  readonly created_at: number;
};

export function accountStatements(db: DatabaseSync): Blocking<AccountStore> {
  const insert = db.prepare(
    `INSERT INTO accounts (id, email, plan, operator, suspended, created_at)
     VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (email) DO NOTHING`,
  );
  const byEmail = db.prepare("SELECT * FROM accounts WHERE email = ?");
  const all = db.prepare("SELECT * FROM accounts ORDER BY created_at, id");
  const update = db.prepare(
    `UPDATE accounts SET plan = coalesce(?, plan), suspended = coalesce(?, suspended)
     WHERE id = ?`,
  );
  return {
    insert: ({ id, email, plan, operator, suspended, createdAt }) =>
      insert.run(id, email, plan, Number(operator), Number(suspended), createdAt).changes === 1,
    findByEmail: (email) => {
      const row = byEmail.get(email) as AccountRow | undefined;
      return row && toAccount(row);
    },
    list: () => (all.all() as AccountRow[]).map(toAccount),
    update: (id, { plan, suspended }) => {
      const flag = suspended === undefined ? null : Number(suspended);
      return update.run(plan ?? null, flag, id).changes === 1;
    },
  };
}

export function toAccount(row: AccountRow): Account {
  return {
    id: row.id,
    email: row.email,
    plan: row.plan,
    operator: row.operator === 1,
    suspended: row.suspended === 1,
    createdAt: row.created_at,
  };
}
