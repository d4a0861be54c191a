import type { BetterAuthPlugin } from "@better-auth/core";
import { APIError, createAuthMiddleware, getSessionFromCtx } from "better-auth/api";
import { type AuditAction, auditEntry } from "../../access/audit-entry.ts";
import type { AuthParts } from "./auth.ts";
import { CLIENT_ADDRESS_HEADER } from "./client-header.ts";

type Change = { readonly action: AuditAction; readonly detail?: Readonly<Record<string, string>> };

/** How somebody got in, by the path that let them. */
const SIGN_INS: Readonly<Record<string, string>> = Object.freeze({
  "/sign-in/email": "password",
  "/two-factor/verify-totp": "password and code",
  "/two-factor/verify-backup-code": "password and backup code",
  "/magic-link/verify": "link",
  "/passkey/verify-authentication": "passkey",
});

/** Where a sign-up ends. */
const CONFIRMATIONS: readonly string[] = ["/verify-email", "/confirm-sign-up"];

/** The changes of a signed-in person. */
const CHANGES: Readonly<Record<string, Change>> = Object.freeze({
  "/sign-out": { action: "user.sign_out" },
  "/change-password": { action: "user.password_change" },
  "/set-first-password": { action: "user.password_change", detail: { which: "first" } },
  "/two-factor/disable": { action: "user.two_factor_disable" },
  "/passkey/verify-registration": { action: "user.passkey_add" },
  "/passkey/delete-passkey": { action: "user.passkey_remove" },
  "/revoke-session": { action: "user.session_revoke", detail: { which: "one" } },
  "/revoke-sessions": { action: "user.session_revoke", detail: { which: "all" } },
  "/revoke-other-sessions": { action: "user.session_revoke", detail: { which: "others" } },
});

type Parts = Pick<AuthParts, "storage" | "log" | "clock" | "random">;
/** The request; none where the program itself acts. */
type Asked = { readonly headers?: Headers | undefined } | null | undefined;

/**
 * Writes each sign-in, failure and change of one's own access into the audit log of every account
 * that the person belongs to. It stands last: a sign-in that waits for a code is none yet.
 */
export function auditPlugin(parts: Parts): BetterAuthPlugin {
  const write = (asked: Asked, email: string, change: Change) =>
    writeAudit(parts, { asked, email, change });
  const before = createAuthMiddleware(async (ctx) => {
    // Afterwards there is no session left to tell who it was.
    await getSessionFromCtx(ctx);
  });
  const after = createAuthMiddleware(async (ctx) => {
    const { path, context } = ctx;
    const { returned, newSession, session } = context;
    const failed = returned instanceof APIError && returned.statusCode >= 400;
    const method = SIGN_INS[path];
    if (failed) {
      const email = failedEmail(path, ctx.body);
      const detail = { reason: String(returned.body?.code ?? returned.status) };
      if (email !== undefined) {
        await write(ctx, email, { action: "user.sign_in_failed", detail });
      }
    } else if (newSession && CONFIRMATIONS.includes(path)) {
      await write(ctx, newSession.user.email, { action: "user.email_verify" });
    } else if (newSession && session && path === "/two-factor/verify-totp") {
      await write(ctx, newSession.user.email, { action: "user.two_factor_enable" });
    } else if (newSession && method !== undefined) {
      const detail = { with: method };
      await write(ctx, newSession.user.email, { action: "user.sign_in", detail });
    } else {
      const change = CHANGES[path];
      if (change !== undefined && session) await write(ctx, session.user.email, change);
    }
  });
  return {
    id: "audit",
    hooks: {
      before: [{ matcher: ({ path }) => path === "/sign-out", handler: before }],
      after: [{ matcher: () => true, handler: after }],
    },
  };
}

function failedEmail(path: string, body: unknown): string | undefined {
  if (path !== "/sign-in/email" || typeof body !== "object" || body === null) return undefined;
  return "email" in body && typeof body.email === "string" ? body.email : undefined;
}

/** The accounts that an e-mail belongs to, as owner or member. */
async function accountsOf(
  { accounts, members }: Parts["storage"],
  email: string,
): Promise<readonly string[]> {
  const own = await accounts.findByEmail(email);
  const joined = await members.ofEmail(email);
  return [...(own ? [own.id] : []), ...joined.map(({ accountId }) => accountId)];
}

/** A store that does not answer must not keep anybody from signing out. */
export async function writeAudit(
  parts: Parts,
  entry: { readonly asked: Asked; readonly email: string; readonly change: Change },
): Promise<void> {
  const { asked, email, change } = entry;
  try {
    for (const accountId of await accountsOf(parts.storage, email)) {
      const made = auditEntry(parts, {
        accountId,
        actor: { kind: "user", email },
        ...change,
        target: null,
        ip: asked?.headers?.get(CLIENT_ADDRESS_HEADER) ?? null,
        agent: asked?.headers?.get("user-agent") ?? null,
      });
      await parts.storage.audit.append(made);
    }
  } catch (error) {
    parts.log.error({ action: change.action, cause: String(error) }, "audit was not written");
  }
}
