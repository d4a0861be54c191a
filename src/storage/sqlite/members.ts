import type { DatabaseSync } from "node:sqlite";
import type { Member, MemberStore } from "../console-stores.ts";
import { memberSql } from "../rows/members.ts";
import type { Blocking } from "./database.ts";

const MEMBER = memberSql("members");

export function memberStatements(db: DatabaseSync): Blocking<MemberStore> {
  const add = db.prepare(
    `INSERT INTO members (id, account_id, email, added_at, added_by)
     VALUES (:id, :accountId, :email, :addedAt, :addedBy)
     ON CONFLICT (account_id, email) DO NOTHING`,
  );
  const ofAccount = db.prepare(`${MEMBER} WHERE account_id = ? ORDER BY added_at, id`);
  const ofEmail = db.prepare(`${MEMBER} WHERE email = ? ORDER BY added_at, id`);
  const remove = db.prepare("DELETE FROM members WHERE account_id = ? AND id = ?");
  return {
    add: ({ id, accountId, email, addedAt, addedBy }) =>
      add.run({ id, accountId, email, addedAt, addedBy }).changes === 1,
    list: (accountId) => ofAccount.all(accountId) as Member[],
    ofEmail: (email) => ofEmail.all(email) as Member[],
    remove: (accountId, id) => remove.run(accountId, id).changes === 1,
  };
}
