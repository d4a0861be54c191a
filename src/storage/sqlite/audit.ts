import type { DatabaseSync } from "node:sqlite";
import type { Actor, AuditDetail, AuditEntry, AuditStore } from "../console-stores.ts";
import { pageOf, readNumberCursor } from "../cursor.ts";
import type { Blocking } from "./database.ts";

type AuditRow = {
  readonly seq: number;
  readonly id: string;
  readonly at: number;
  readonly account_id: string | null;
  readonly actor_kind: Actor["kind"];
  readonly actor_email: string | null;
  readonly action: string;
  readonly target: string | null;
  readonly detail: string;
  readonly ip: string | null;
  readonly agent: string | null;
};

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
      const { page, next } = pageOf(rows as AuditRow[], limit, (row) => `${row.seq}`);
      return { entries: page.map(toEntry), next };
    },
  };
}

function toEntry(row: AuditRow): AuditEntry {
  return {
    id: row.id,
    at: row.at,
    accountId: row.account_id,
    actor: { kind: row.actor_kind, email: row.actor_email },
    action: row.action,
    target: row.target,
    detail: JSON.parse(row.detail) as AuditDetail,
    ip: row.ip,
    agent: row.agent,
  };
}
