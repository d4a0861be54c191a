import type { BetterAuthPlugin } from "@better-auth/core";
import { createAuthEndpoint, sessionMiddleware } from "better-auth/api";
import { z } from "zod";

/**
 * Ends a session by its id, in place of better-auth's own way, which wants the token: so the pages
 * never see a token, and a script that got into one cannot carry any off.
 */
export function sessionIds(): BetterAuthPlugin {
  const options = {
    method: "POST" as const,
    body: z.object({ id: z.string() }),
    use: [sessionMiddleware],
  };
  const revokeSession = createAuthEndpoint("/revoke-session", options, async (ctx) => {
    const { internalAdapter, session } = ctx.context;
    const sessions = await internalAdapter.listSessions(session.user.id);
    const found = sessions.find(({ id }) => id === ctx.body.id);
    if (found !== undefined) await internalAdapter.deleteSession(found.token);
    return ctx.json({ status: true });
  });
  // By the name of the one that it replaces.
  return { id: "session-ids", endpoints: { revokeSession } };
}
