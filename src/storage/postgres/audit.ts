import type { AuditStore } from "../console-stores.ts";
import { readNumberCursor } from "../cursor.ts";
import { type AuditRow, auditPage } from "../rows/audit.ts";
import type { PostgresDatabase } from "./database.ts";

export function auditStore(db: PostgresDatabase): AuditStore {
  return {
    append: async ({ id, at, accountId, actor, action, target, detail, ip, agent }) => {
      await db.change(
        `INSERT INTO @audit
           (id, at, account_id, actor_kind, actor_email, action, target, detail, ip, agent)
         VALUES (:id, :at, :accountId, :kind, :email, :action, :target, :detail, :ip, :agent)`,
        { id, at, accountId, ...actor, action, target, detail: JSON.stringify(detail), ip, agent },
      );
    },
    page: async ({ accountId, before, limit }) => {
      const seq = readNumberCursor(before);
      if (seq === undefined) return { entries: [], next: null };
      const rows = await db.read<AuditRow>(
        `SELECT * FROM @audit WHERE seq < :seq
           ${accountId === undefined ? "" : "AND account_id = :accountId"}
         ORDER BY seq DESC LIMIT :rows`,
        { seq, rows: limit + 1, ...(accountId === undefined ? {} : { accountId }) },
      );
      return auditPage(rows, limit);
    },
  };
}
