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
    "Wrong e-mail or password. Check both, or request a sign-in link below.",
  INVALID_SIGN_UP_PASSWORD:
    "This is not the password you signed up with. If you did not sign up, close this page.",
  PASSWORD_TOO_SHORT: "This password is too short. Use at least 8 characters.",
  PASSWORD_TOO_LONG: "This password is too long. Use at most 128 characters.",
  PASSWORD_ALREADY_SET: "You already have a password. Reload the page to change it.",
  INVALID_PASSWORD: "Wrong password. Enter your current password.",
  INVALID_TOKEN: "This link has expired or was already used. Request a new one.",
  INVALID_CODE: "Wrong code. Enter the one your app shows now.",
  INVALID_BACKUP_CODE: "This backup code is wrong or was already used. Try another one.",
  SESSION_NOT_FRESH: "Sign out and sign in again to make this change: you signed in too long ago.",
  SESSION_EXPIRED: "Your session has ended. Sign in again.",
  AUTH_CANCELLED: "The passkey was not used. Try again, or sign in another way.",
  REGISTRATION_CANCELLED: "No passkey was created. Try again when you are ready.",
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
    return "The dashboard did not respond. Check your connection, then try again.";
  }
  return message.endsWith(".") ? message : `${message}.`;
}
