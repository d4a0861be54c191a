import type { BetterAuthPlugin } from "@better-auth/core";
import { BASE_ERROR_CODES } from "@better-auth/core/error";
import { APIError, createAuthEndpoint, freshSessionMiddleware } from "better-auth/api";
import { z } from "zod";

/**
 * A first password of somebody who has signed in by a link, as the first operator does where no mail can be sent.
 * better-auth itself sets one by a mail alone. Who signed in long ago has to do so again: a session that somebody else
 * got hold of must not become a password.
 */
export function firstPassword(): BetterAuthPlugin {
  const body = z.object({ newPassword: z.string() });
  const use = [freshSessionMiddleware];
  return {
    id: "first-password",
    endpoints: {
      setFirstPassword: createAuthEndpoint(
        "/set-first-password",
        { method: "POST", body, use },
        async (ctx) => {
          const { internalAdapter, password, session } = ctx.context;
          const { newPassword } = ctx.body;
          const { minPasswordLength, maxPasswordLength } = password.config;
          if (newPassword.length < minPasswordLength) throw fault("PASSWORD_TOO_SHORT");
          if (newPassword.length > maxPasswordLength) throw fault("PASSWORD_TOO_LONG");
          const userId = session.user.id;
          if ((await internalAdapter.findCredentialAccount(userId)) !== null) {
            throw fault("PASSWORD_ALREADY_SET");
          }
          await internalAdapter.linkAccount({
            ...{ userId, accountId: userId, providerId: "credential" },
            password: await password.hash(newPassword),
          });
          return ctx.json({ status: true });
        },
      ),
    },
  };
}

const fault = (
  code: "PASSWORD_TOO_SHORT" | "PASSWORD_TOO_LONG" | "PASSWORD_ALREADY_SET",
): APIError => APIError.from("BAD_REQUEST", BASE_ERROR_CODES[code]);
