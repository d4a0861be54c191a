import type { AuditEntry } from "../../storage/console-stores.ts";
import type { ApiParts } from "../api/parts.ts";
import { type BoundRoute, bind } from "../api/route.ts";
import { type AuditEntryView, listAllAudit, listAudit } from "../contract/audit.ts";

export function auditRoutes({ storage }: ApiParts): BoundRoute[] {
  const page = async (
    { after, limit }: { readonly after?: string | undefined; readonly limit: number },
    accountId?: string,
  ) => {
    const { entries, next } = await storage.audit.page({ accountId, before: after, limit });
    return { items: entries.map(entryView), next };
  };
  return [
    bind(listAudit, ({ account, query }) => page(query, account.id)),
    bind(listAllAudit, ({ query }) => page(query, query.account)),
  ];
}

function entryView({
  id,
  at,
  actor,
  action,
  target,
  detail,
  ip,
  agent,
}: AuditEntry): AuditEntryView {
  const time = new Date(at).toISOString();
  return { id, at: time, actor, action, target, detail: { ...detail }, ip, agent };
}
