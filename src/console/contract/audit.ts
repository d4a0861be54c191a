import { z } from "zod";
import { ACTOR_KINDS } from "../../storage/console-stores.ts";
import { accountParams, id, pageOf, pageQuery, time } from "./common.ts";
import { defineRoute } from "./route.ts";

export const auditEntry = z.object({
  id: id("aud"),
  at: time,
  actor: z.object({
    kind: z.enum(ACTOR_KINDS),
    /** Of a token: of the person who made it. */
    email: z.string().nullable(),
  }),
  /** Such as `key.create`. */
  action: z.string(),
  /** The id or name of what was changed. */
  target: z.string().nullable(),
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  /** Where the request came from. */
  ip: z.string().nullable(),
  agent: z.string().nullable(),
});
export type AuditEntryView = z.output<typeof auditEntry>;

const auditPage = pageOf(auditEntry);

export const listAudit = defineRoute({
  id: "listAudit",
  method: "GET",
  url: "/api/accounts/:account/audit",
  access: "member",
  summary: "Every change to an account, newest first",
  params: accountParams,
  query: pageQuery,
  status: 200,
  reply: auditPage,
});

export const listAllAudit = defineRoute({
  id: "listAllAudit",
  method: "GET",
  url: "/api/operator/audit",
  access: "operator",
  summary: "Every change to all accounts, or to one, newest first",
  query: pageQuery.extend({ account: id("acc").optional() }),
  status: 200,
  reply: auditPage,
});
