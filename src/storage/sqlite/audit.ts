import type { DatabaseSync } from "node:sqlite";
import type { AuditStore } from "../console-stores.ts";
import { readNumberCursor } from "../cursor.ts";
import { type AuditRow, auditPage } from "../rows/audit.ts";
import type { Blocking } from "./database.ts";

export function auditStatements(db: DatabaseSync): Blocking<AuditStore> {
  const append = db.prepare(
    `INSERT INTO audit
       (id, at, account_id, actor_kind, actor_email, action, target, detail, ip, agent)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const all = db.prepare("SELECT * FROM audit WHERE seq < ? ORDER BY seq DESC LIMIT ?");
  const ofAccount = db.prepare(
    "SELECT * FROM audit WHERE account_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?",
  );
  return {
    append: ({ id, at, accountId, actor, action, target, detail, ip, agent }) => {
      const details = JSON.stringify(detail);
      append.run(id, at, accountId, actor.kind, actor.email, action, target, details, ip, agent);
    },
    page: ({ accountId, before, limit }) => {
      const seq = readNumberCursor(before);
      if (seq === undefined) return { entries: [], next: null };
      const rows =
        accountId === undefined
          ? all.all(seq, limit + 1)
          : ofAccount.all(accountId, seq, limit + 1);
      return auditPage(rows as AuditRow[], limit);
    },
  };
}
