import { z } from "zod";
import { accountParams, email, id, listReply, noContent, time } from "./common.ts";
import { defineRoute } from "./route.ts";
import { role } from "./session.ts";

export const member = z.object({
  /** Null for the owner, who cannot be removed. */
  id: id("mem").nullable(),
  email: z.string(),
  role,
  added: time,
});
export type Member = z.output<typeof member>;

const url = "/api/accounts/:account/members";

export const listMembers = defineRoute({
  id: "listMembers",
  method: "GET",
  url,
  access: "member",
  summary: "The members of an account, owner first",
  params: accountParams,
  status: 200,
  reply: listReply(member),
});

export const addMember = defineRoute({
  id: "addMember",
  method: "POST",
  url,
  access: "owner",
  summary: "Adds a member to the account and invites them by e-mail",
  params: accountParams,
  body: z.strictObject({ email }),
  status: 201,
  reply: member,
  audit: ["member.add"],
});

export const removeMember = defineRoute({
  id: "removeMember",
  method: "DELETE",
  url: `${url}/:member`,
  access: "owner",
  summary: "Removes somebody from the account",
  params: z.object({ account: id("acc"), member: id("mem") }),
  status: 204,
  reply: noContent,
  audit: ["member.remove"],
});
