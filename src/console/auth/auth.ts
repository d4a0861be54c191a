import { AsyncLocalStorage } from "node:async_hooks";
import { betterAuth } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import type { StorageSettings } from "../../storage/open.ts";
import type { Storage } from "../../storage/store.ts";
import type { Logger } from "../../telemetry/log.ts";
import type { Mailer } from "../mail/mailer.ts";
import { AuthMail } from "./auth-mail.ts";
import { authOptions } from "./auth-options.ts";
import type { Sessions } from "./sessions.ts";
import { type Signup, signupPolicy } from "./signup-policy.ts";
import { openAuthTables } from "./tables.ts";

export type AuthSettings = {
  /** Scheme, host and port that browsers use; no slash at the end. */
  readonly publicUrl: string;
  /** Signs cookies and encrypts second factors. */
  readonly secret: string;
  readonly signup: Signup;
  /** Users and sessions are kept with it. */
  readonly storage: StorageSettings;
};

export type AuthParts = {
  readonly storage: Pick<Storage, "accounts" | "members" | "audit">;
  /** Undefined: no mail can be sent, so nothing is offered that needs it. */
  readonly mailer: Mailer | undefined;
  readonly log: Logger;
  readonly clock: Pick<Clock, "now">;
  readonly random: Random;
};

export type Auth = {
  /** Answers what stands under /api/auth. */
  readonly handle: (request: Request) => Promise<Response>;
  readonly sessions: Sessions;
  /** A link that signs this e-mail's owner in: once, within 15 minutes. */
  readonly signInLink: (email: string) => Promise<string>;
  /** Waits for the mail in the air. */
  readonly close: () => Promise<void>;
};

/** Makes or updates the tables of users and sessions, and nothing else. @throws StorageError */
export async function makeAuthTables(storage: StorageSettings, parts: AuthParts): Promise<void> {
  const tables = await openAuthTables(storage);
  const secret = "nothing is signed with this one, ever";
  const options = authOptions(
    { publicUrl: "http://localhost", secret, signup: "closed", storage },
    { ...parts, tables, mail: undefined, maySignUp: async () => false, takeLink: () => false },
  );
  await tables.migrate(async () => (await getMigrations(options)).runMigrations());
  await tables.close();
}

/**
 * Opens users and sessions, and makes or updates their tables. better-auth does all of it: here is
 * only what it is told.
 * @throws StorageError where they cannot be opened
 */
export async function openAuth(settings: AuthSettings, parts: AuthParts): Promise<Auth> {
  const tables = await openAuthTables(settings.storage);
  const mail = parts.mailer && new AuthMail(parts.mailer, parts.log);
  const asked = new AsyncLocalStorage<{ url?: string }>();
  const options = authOptions(settings, {
    ...parts,
    tables,
    mail,
    maySignUp: signupPolicy(settings.signup, parts.storage),
    takeLink: (url) => {
      const asker = asked.getStore();
      if (asker !== undefined) asker.url = url;
      return asker !== undefined;
    },
  });
  // Before it opens them itself, and finds tables missing.
  await tables.migrate(async () => (await getMigrations(options)).runMigrations());
  // Older versions made a user before the e-mail was confirmed, with the password of whoever asked.
  await tables.dropUnconfirmed();
  const auth = betterAuth(options);
  const close = async () => {
    await mail?.settled();
    await tables.close();
  };
  const signInLink = async (email: string) => {
    const asker: { url?: string } = {};
    const request = { body: { email, callbackURL: "/" }, headers: new Headers() };
    await asked.run(asker, () => auth.api.signInMagicLink(request));
    if (asker.url === undefined) throw new Error("no link was made");
    return asker.url;
  };
  const read: Sessions["read"] = async (headers) => {
    const found = await auth.api.getSession({ headers, query: { disableRefresh: true } });
    if (found === null) return undefined;
    const { id, email, name, emailVerified } = found.user;
    const twoFactor = "twoFactorEnabled" in found.user && found.user.twoFactorEnabled === true;
    return { id, email, name, emailVerified, twoFactor };
  };
  const hasPassword: Sessions["hasPassword"] = async (userId) => {
    const { internalAdapter } = await auth.$context;
    return (await internalAdapter.findCredentialAccount(userId)) !== null;
  };
  return { handle: auth.handler, sessions: { read, hasPassword }, signInLink, close };
}
