import type { Member, MemberStore } from "../console-stores.ts";
import { memberSql } from "../rows/members.ts";
import type { PostgresDatabase } from "./database.ts";

const MEMBER = memberSql("@members");

export function memberStore(db: PostgresDatabase): MemberStore {
  return {
    add: async ({ id, accountId, email, addedAt, addedBy }) => {
      const sql = `INSERT INTO @members (id, account_id, email, added_at, added_by)
        VALUES (:id, :accountId, :email, :addedAt, :addedBy)
        ON CONFLICT (account_id, lower(email)) DO NOTHING`;
      return (await db.change(sql, { id, accountId, email, addedAt, addedBy })) === 1;
    },
    list: (accountId) =>
      db.read<Member>(`${MEMBER} WHERE account_id = :accountId ORDER BY added_at, id`, {
        accountId,
      }),
    ofEmail: (email) =>
      db.read<Member>(`${MEMBER} WHERE lower(email) = lower(:email) ORDER BY added_at, id`, {
        email,
      }),
    remove: async (accountId, id) => {
      const sql = "DELETE FROM @members WHERE account_id = :accountId AND id = :id";
      return (await db.change(sql, { accountId, id })) === 1;
    },
  };
}
