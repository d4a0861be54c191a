import { passkeyClient } from "@better-auth/passkey/client";
import { createAuthClient } from "better-auth/client";
import { magicLinkClient, twoFactorClient } from "better-auth/client/plugins";
import { ApiError, reportSignedOut } from "./api.ts";

/** The authentication server's own client; sessions are cookies that no script can read. */
export const auth = createAuthClient({
  baseURL: `${location.origin}/api/auth`,
  // Of itself it would open the page that a mail's link ends at, after each sign-in.
  disableDefaultFetchPlugins: true,
  plugins: [passkeyClient(), twoFactorClient(), magicLinkClient()],
});

type Answer = { readonly data: unknown; readonly error: AuthFault | null };

type AuthFault = {
  readonly status: number;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
};

/** What the texts of the library leave open: what to do. */
const ADVICE: Readonly<Record<string, string>> = {
  INVALID_EMAIL_OR_PASSWORD:
    "E-mail or password is wrong. Check both, or ask for a sign-in link below.",
  INVALID_SIGN_UP_PASSWORD:
    "This is not the password of the sign-up. If you did not sign up, close this page.",
  PASSWORD_TOO_SHORT: "The password is too short: use at least 8 characters.",
  PASSWORD_TOO_LONG: "The password is too long: use at most 128 characters.",
  PASSWORD_ALREADY_SET: "You have a password already. Load the page again to change it.",
  INVALID_PASSWORD: "The password is wrong. Type the one that you sign in with now.",
  INVALID_TOKEN: "This link was used before or is too old. Ask for a new one.",
  INVALID_CODE: "The code is wrong. Type the one that your app shows now.",
  INVALID_BACKUP_CODE: "This backup code is wrong or was used before. Take another one.",
  SESSION_NOT_FRESH: "For this change, sign out and in again first: your sign-in is too long ago.",
  SESSION_EXPIRED: "Your session has ended. Sign in again.",
  AUTH_CANCELLED: "The passkey was not used. Try again, or sign in another way.",
  REGISTRATION_CANCELLED: "No passkey was made. Try again when you are ready.",
};

/** Ends a sign-up in a browser other than the one it began in. */
export async function confirmSignUp(sent: { readonly token: string; readonly password: string }) {
  return unwrap(await auth.$fetch("/confirm-sign-up", { method: "POST", body: sent }));
}

/** Of somebody who has none and signs in by a link. */
export async function setFirstPassword(newPassword: string) {
  return unwrap(
    await auth.$fetch("/set-first-password", { method: "POST", body: { newPassword } }),
  );
}

/** Ends one of one's own sessions. */
export async function endSession(id: string) {
  return unwrap(await auth.$fetch("/revoke-session", { method: "POST", body: { id } }));
}

/** The answer's data. @throws ApiError with a text for people */
export function unwrap<A extends Answer>(answer: A): Extract<A, { error: null }>["data"] {
  if (answer.error === null) return answer.data as Extract<A, { error: null }>["data"];
  const { status, code = "internal", message } = answer.error;
  if (status === 401 && code === "UNAUTHORIZED") reportSignedOut();
  throw new ApiError({ status, code, message: ADVICE[code] ?? textOf(status, message) });
}

function textOf(status: number, message: string | undefined): string {
  if (status === 429) return "Too many attempts. Wait a minute, then try again.";
  if (message === undefined || message === "") {
    return "The dashboard's server did not answer. Check your connection, then try again.";
  }
  return message.endsWith(".") ? message : `${message}.`;
}
