import { createHash } from "node:crypto";
import type { BetterAuthPlugin, GenericEndpointContext } from "@better-auth/core";
import { APIError, createAuthMiddleware } from "better-auth/api";
import { generateRandomString } from "better-auth/crypto";
import type { Attempts } from "./attempts.ts";

const PATH = "/sign-in/email";
const COOKIE = "known";
const KNOWN_SECONDS = 365 * 86_400;
const ID_LENGTH = 32;

/**
 * Slows down who guesses passwords, by e-mail: from however many addresses, an account is tried only so
 * often. A browser that signed in with the e-mail before has a count of its own, so that strangers who
 * guess keep nobody out.
 */
export function passwordGuard(attempts: Attempts): BetterAuthPlugin {
  const before = createAuthMiddleware(async (ctx) => {
    const email = emailIn(ctx);
    if (email === undefined) return;
    const waitMs = await attempts.begin(await nameOf(ctx, email));
    if (waitMs === 0) return;
    const seconds = Math.ceil(waitMs / 1000);
    const message = `too many attempts with this e-mail; wait ${seconds} s, or sign in by a link`;
    throw new APIError(
      "TOO_MANY_REQUESTS",
      { code: "TOO_MANY_ATTEMPTS", message },
      { "X-Retry-After": String(seconds) },
    );
  });
  const after = createAuthMiddleware(async (ctx) => {
    const email = emailIn(ctx);
    const { returned } = ctx.context;
    if (email === undefined || returned instanceof APIError) return;
    await attempts.forget(await nameOf(ctx, email));
    const { name, attributes } = ctx.context.createAuthCookie(COOKIE, { maxAge: KNOWN_SECONDS });
    const value = `${markOf(email)}.${generateRandomString(ID_LENGTH)}`;
    await ctx.setSignedCookie(name, value, ctx.context.secret, attributes);
  });
  const matcher = ({ path }: { path?: string | undefined }) => path === PATH;
  return {
    id: "password-guard",
    hooks: { before: [{ matcher, handler: before }], after: [{ matcher, handler: after }] },
  };
}

/** The e-mail, or the browser where it is one that has signed in with it. */
async function nameOf(ctx: GenericEndpointContext, email: string): Promise<string> {
  const { name } = ctx.context.createAuthCookie(COOKIE);
  const value = await ctx.getSignedCookie(name, ctx.context.secret);
  const isKnown = typeof value === "string" && value.startsWith(`${markOf(email)}.`);
  return isKnown ? value : email;
}

/** The cookie of a shared browser does not tell who used it. */
function markOf(email: string): string {
  return createHash("sha256").update(email).digest("base64url").slice(0, 16);
}

function emailIn({ body }: GenericEndpointContext): string | undefined {
  const email: unknown = body?.email;
  return typeof email === "string" ? email.toLowerCase() : undefined;
}
