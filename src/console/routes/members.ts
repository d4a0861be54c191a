import { emailFault } from "../../access/account-checks.ts";
import { createId } from "../../access/ids.ts";
import { invite } from "../accounts/invitations.ts";
import { notFound } from "../api/access.ts";
import type { ApiParts } from "../api/parts.ts";
import { Problem } from "../api/problem.ts";
import { type BoundRoute, bind } from "../api/route.ts";
import { addMember, listMembers, removeMember } from "../contract/members.ts";
import { isoTime } from "../iso-time.ts";
import type { MailTurns } from "../mail/mail-turns.ts";

export function memberRoutes(parts: ApiParts, turns: MailTurns): BoundRoute[] {
  const { storage } = parts;
  return [
    bind(listMembers, async ({ account }) => {
      const members = await storage.members.list(account.id);
      const { email, createdAt } = account;
      const owner = { id: null, email, role: "owner" as const, added: isoTime(createdAt) };
      const others = members.map(({ id, email, addedAt }) => ({
        ...{ id, email },
        role: "member" as const,
        added: isoTime(addedAt),
      }));
      return { items: [owner, ...others] };
    }),
    addition(parts, turns),
    bind(removeMember, async ({ account, params, note }) => {
      const members = await storage.members.list(account.id);
      const member = members.find(({ id }) => id === params.member);
      if (member === undefined || !(await storage.members.remove(account.id, member.id))) {
        throw notFound();
      }
      note({ action: "member.remove", target: member.id, detail: { email: member.email } });
      return undefined;
    }),
  ];
}

function addition(parts: ApiParts, turns: MailTurns): BoundRoute {
  const { storage, clock, random, config } = parts;
  return bind(addMember, async ({ account, user, body, note }) => {
    if (config.console?.signup === "closed") {
      const text = "this gateway does not take new members in the dashboard; ask an operator";
      throw new Problem("forbidden", text);
    }
    const { email } = body;
    const fault = emailFault(email);
    if (fault !== undefined) throw new Problem("bad_request", fault, { field: "body.email" });
    const addedAt = clock.now();
    const id = createId("mem", random);
    const isOwners = account.email.toLowerCase() === email.toLowerCase();
    turns.take(account.id);
    const member = { id, accountId: account.id, email, addedAt, addedBy: user.email };
    if (isOwners || !(await storage.members.add(member))) {
      throw new Problem("conflict", `${email} is already a member of the account`, {
        field: "body.email",
      });
    }
    const invited = await invite(parts, email, { by: user.email, account: account.email });
    note({ action: "member.add", target: id, detail: { email, invited } });
    return { id, email, role: "member" as const, added: isoTime(addedAt) };
  });
}
