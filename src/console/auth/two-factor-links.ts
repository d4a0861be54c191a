import type { BetterAuthPlugin } from "@better-auth/core";
import { createAuthMiddleware } from "better-auth/api";
import { twoFactor } from "better-auth/plugins/two-factor";

/** The page that asks for the code, as after a password. */
const CODE_PAGE = "/sign-in?step=two-factor";
const LINK_PATH = "/magic-link/verify";

/**
 * A link by mail is one factor. Of itself better-auth asks for the second one after a password
 * alone; this lets the same hook of its two-factor plugin see sign-ins by link, and sends the
 * browser on to the page for the code.
 */
export function twoFactorForLinks(): BetterAuthPlugin {
  const [challenge] = twoFactor().hooks.after;
  if (challenge === undefined) throw new Error("better-auth's two-factor plugin has no hook");
  const isLink = ({ path }: { path?: string | undefined }) => path === LINK_PATH;
  const sendOn = createAuthMiddleware(async (ctx) => {
    const { returned } = ctx.context;
    const pending = typeof returned === "object" && returned !== null;
    if (!pending || !("twoFactorRedirect" in returned)) return;
    throw ctx.redirect(CODE_PAGE);
  });
  return {
    id: "two-factor-for-links",
    hooks: {
      after: [
        { matcher: isLink, handler: challenge.handler },
        { matcher: isLink, handler: sendOn },
      ],
    },
  };
}
