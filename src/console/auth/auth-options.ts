import { passkey } from "@better-auth/passkey";
import type { BetterAuthOptions } from "better-auth";
import { APIError } from "better-auth/api";
import { magicLink } from "better-auth/plugins/magic-link";
import { twoFactor } from "better-auth/plugins/two-factor";
import {
  alreadySignedUpMail,
  passwordChangedMail,
  resetMail,
  signInMail,
  verificationMail,
} from "../mail/texts.ts";
import { Attempts } from "./attempts.ts";
import { auditPlugin, writeAudit } from "./audit-plugin.ts";
import type { AuthParts, AuthSettings } from "./auth.ts";
import type { AuthMail } from "./auth-mail.ts";
import { CLIENT_ADDRESS_HEADER } from "./client-header.ts";
import { firstPassword } from "./first-password.ts";
import { tidyName } from "./names.ts";
import { oneTimeCodes } from "./one-time-codes.ts";
import { passwordGuard } from "./password-guard.ts";
import { sessionIds } from "./session-ids.ts";
import { signUpLinks } from "./sign-up-links.ts";
import type { SignupPolicy } from "./signup-policy.ts";
import type { AuthTables } from "./tables.ts";
import { twoFactorForLinks } from "./two-factor-links.ts";

const LINK_SECONDS = 15 * 60;
const HOUR_SECONDS = 60 * 60;
const PASSWORD_MIN_LENGTH = 8;

export type AuthOptionParts = Omit<AuthParts, "mailer"> & {
  readonly tables: AuthTables;
  readonly mail: AuthMail | undefined;
  readonly maySignUp: SignupPolicy;
  /** True where the link was asked for by this program itself, and is not to be sent. */
  readonly takeLink: (url: string) => boolean;
};

/** The options of better-auth: one place, so that they can be read against its documentation. */
export function authOptions(settings: AuthSettings, parts: AuthOptionParts) {
  const { publicUrl, secret } = settings;
  const { tables, mail } = parts;
  const pages = pagesOf(publicUrl);
  return {
    appName: "Tollgate",
    baseURL: publicUrl,
    basePath: "/api/auth",
    secret,
    database: tables.database,
    trustedOrigins: [publicUrl],
    telemetry: { enabled: false },
    logger: { level: "error" as const, log: logTo(parts) },
    onAPIError: { errorURL: pages.signIn, onError: reportTo(parts) },
    emailAndPassword: {
      enabled: true,
      // Users come to be by `signUpLinks`, and by links that sign in.
      disableSignUp: true,
      requireEmailVerification: true,
      minPasswordLength: PASSWORD_MIN_LENGTH,
      revokeSessionsOnPasswordReset: true,
      resetPasswordTokenExpiresIn: HOUR_SECONDS,
      onPasswordReset: async ({ user: { email } }: User, asked?: Request) => {
        mail?.post(passwordChangedMail(email, pages));
        const change = { action: "user.password_reset" } as const;
        await writeAudit(parts, { asked, email, change });
      },
      ...(mail && {
        sendResetPassword: async ({ user, token }: User & { token: string }) =>
          mail.post(resetMail(user.email, `${publicUrl}/reset?token=${token}`)),
      }),
    },
    // Of links in mails only hashes are kept, so that a reader of the database cannot use them.
    verification: { storeIdentifier: "hashed" as const },
    rateLimit: rateLimits(),
    advanced: advanced(publicUrl),
    databaseHooks: { user: userHooks(parts) },
    plugins: plugins(settings, parts),
  } satisfies BetterAuthOptions;
}

const pagesOf = (publicUrl: string) => ({
  signIn: `${publicUrl}/sign-in`,
  forgot: `${publicUrl}/forgot`,
});

type User = { readonly user: { readonly email: string } };

function plugins({ publicUrl, signup }: AuthSettings, parts: AuthOptionParts) {
  const { mail, maySignUp, takeLink } = parts;
  const pages = pagesOf(publicUrl);
  return [
    signUpLinks({
      ...{ signup, maySignUp, clock: parts.clock },
      confirm: (email, url) => mail?.post(verificationMail(email, url)),
      alreadySignedUp: (email) => mail?.post(alreadySignedUpMail(email, pages)),
    }),
    twoFactor({ issuer: "Tollgate" }),
    magicLink({
      expiresIn: LINK_SECONDS,
      sendMagicLink: async ({ email, url }) => {
        if (takeLink(url)) return;
        if (await maySignUp(email)) mail?.post(signInMail(email, url));
      },
    }),
    passkey({
      rpID: new URL(publicUrl).hostname,
      rpName: "Tollgate",
      origin: publicUrl,
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      registration: {
        afterVerification: async ({ verification }) =>
          demandPerson(verification.registrationInfo?.userVerified),
      },
      authentication: {
        afterVerification: async ({ verification }) =>
          demandPerson(verification.authenticationInfo.userVerified),
      },
    }),
    twoFactorForLinks(),
    firstPassword(),
    passwordGuard(new Attempts(parts.tables.attempts, parts.clock)),
    oneTimeCodes(parts.clock),
    sessionIds(),
    auditPlugin(parts),
  ];
}

/** A passkey stands for both factors, so it must know whose hand it is in: a finger, a PIN. */
function demandPerson(verified: boolean | undefined): void {
  if (verified === true) return;
  const message = "this passkey does not check who uses it; set a PIN or a fingerprint for it";
  throw new APIError("FORBIDDEN", { code: "USER_VERIFICATION_NEEDED", message });
}

function userHooks(parts: AuthOptionParts) {
  return {
    create: {
      before: async ({ email, name }: { email: string; name: string }) => {
        if (await parts.maySignUp(email)) {
          return {
            data: { name: tidyName(name, email), image: null },
          };
        }
        const message = "this e-mail address is not invited; ask for an invitation";
        throw new APIError("FORBIDDEN", { code: "SIGN_UP_REFUSED", message });
      },
      after: async (
        { email }: { email: string },
        asked: { headers?: Headers | undefined } | null,
      ) => writeAudit(parts, { asked, email, change: { action: "user.sign_up" } }),
    },
    update: {
      before: async ({ name }: { name?: string | undefined }) => {
        if (name === undefined) return;
        return { data: { name: tidyName(name) } };
      },
    },
  };
}

/** Kept with the users, so that a restart forgives nothing. By address (IPv6: /64) and path. */
function rateLimits() {
  const guarded = { window: 60, max: 10 };
  const mailing = { window: 60, max: 3 };
  return {
    enabled: true,
    storage: "database" as const,
    window: 60,
    max: 300,
    customRules: {
      "/sign-in/email": guarded,
      "/two-factor/verify-totp": guarded,
      "/two-factor/verify-backup-code": guarded,
      "/magic-link/verify": guarded,
      "/sign-up/email": guarded,
      "/confirm-sign-up": guarded,
      "/reset-password": guarded,
      "/change-password": guarded,
      "/sign-in/magic-link": mailing,
      "/request-password-reset": mailing,
    },
  };
}

function advanced(publicUrl: string) {
  return {
    cookiePrefix: "tollgate",
    useSecureCookies: publicUrl.startsWith("https:"),
    // A test runner's environment would turn this off.
    disableCSRFCheck: false,
    disableOriginCheck: false,
    ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
  };
}

/** A client's mistake is told to the client alone. */
function reportTo({ log }: Pick<AuthOptionParts, "log">) {
  return (error: unknown) => {
    if (error instanceof APIError && error.statusCode < 500) return;
    const cause = error instanceof Error ? error.stack : String(error);
    log.error({ cause }, "signing in failed");
  };
}

/** Its texts name paths and reasons; what an error carries beside its message is left out. */
function logTo({ log }: Pick<AuthOptionParts, "log">) {
  return (level: "debug" | "info" | "warn" | "error", message: string, ...rest: unknown[]) => {
    const [cause] = rest.flatMap((each) => (each instanceof Error ? [each.message] : []));
    log[level](cause === undefined ? {} : { cause }, `signing in: ${message}`);
  };
}
