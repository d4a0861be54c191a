import type { Actor, AuditDetail, AuditEntry } from "../console-stores.ts";
import { pageOf } from "../cursor.ts";

export type AuditRow = {
  readonly seq: number;
  readonly id: string;
  readonly at: number;
  readonly account_id: string | null;
  readonly actor_kind: Actor["kind"];
  readonly actor_email: string | null;
  readonly action: string;
  readonly target: string | null;
  /** JSON. */
  readonly detail: string;
  readonly ip: string | null;
  readonly agent: string | null;
};

type AuditPage = { readonly entries: readonly AuditEntry[]; readonly next: string | null };

/** A page of `limit` entries out of one row more, latest first. */
export function auditPage(rows: readonly AuditRow[], limit: number): AuditPage {
  const { page, next } = pageOf(rows, limit, (row) => `${row.seq}`);
  return { entries: page.map(toEntry), next };
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
