import type { BetterAuthPlugin } from "@better-auth/core";
import { APIError, createAuthMiddleware } from "better-auth/api";
import { deleteSessionCookie } from "better-auth/cookies";
import type { Clock } from "../../lib/clock.ts";

const CODE_PATH = "/two-factor/verify-totp";
/** A code is taken in its own 30 s and in those before and after it. */
const CODE_LIVES_MS = 120_000;

/** A code of an authenticator app works once (RFC 6238, 5.2): who looks over a shoulder gets nothing. */
export function oneTimeCodes(clock: Pick<Clock, "now">): BetterAuthPlugin {
  const handler = createAuthMiddleware(async (ctx) => {
    const { internalAdapter, newSession, session } = ctx.context;
    if (!newSession) return;
    const { id } = newSession.user;
    const isFirst = await internalAdapter.reserveVerificationValue({
      identifier: `totp:${id}:${String(ctx.body?.code)}`,
      value: "used",
      expiresAt: new Date(clock.now() + CODE_LIVES_MS),
    });
    if (isFirst) return;
    // A session that was there before is not the code's.
    if (newSession.session.token !== session?.session.token) {
      await internalAdapter.deleteSession(newSession.session.token);
      ctx.context.setNewSession(null);
      deleteSessionCookie(ctx);
    }
    const message = "this code was used before; wait for the next one";
    throw new APIError("UNAUTHORIZED", { code: "INVALID_CODE", message });
  });
  return {
    id: "one-time-codes",
    hooks: { after: [{ matcher: ({ path }) => path === CODE_PATH, handler }] },
  };
}
