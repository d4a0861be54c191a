import { createHash, timingSafeEqual } from "node:crypto";
import type { BetterAuthPlugin, GenericEndpointContext } from "@better-auth/core";
import { BASE_ERROR_CODES } from "@better-auth/core/error";
import { APIError, createAuthEndpoint, originCheck } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import { generateRandomString } from "better-auth/crypto";
import { z } from "zod";
import type { Clock } from "../../lib/clock.ts";
import { tidyName } from "./names.ts";
import type { Signup, SignupPolicy } from "./signup-policy.ts";

const LINK_SECONDS = 60 * 60;
const TOKEN_LENGTH = 32;
const COOKIE = "sign_up";
/** Asks for the password of the sign-up. */
const PASSWORD_PAGE = "/verify";

export type SignUpLinkParts = {
  readonly signup: Signup;
  readonly clock: Pick<Clock, "now">;
  readonly maySignUp: SignupPolicy;
  /** Somebody signs up with an e-mail that no user has. */
  readonly confirm: (email: string, url: string) => void;
  /** Somebody signs up with the e-mail of a user. */
  readonly alreadySignedUp: (email: string) => void;
};

/** The sign-up as it was typed, while it waits for the link. */
type SignUp = {
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
  /** The hash of the cookie that the browser got. */
  readonly browserHash: string;
};

const signUpBody = z.object({
  name: z.string(),
  email: z.email(),
  password: z.string().nonempty(),
  callbackURL: z.string().optional(),
});

/**
 * Signing up by e-mail and password, in place of better-auth's own way, which makes a user with that
 * password at once: the owner of the e-mail who follows the link would confirm the password of whoever
 * signed up. Here nothing but the link knows of a sign-up. It makes the user in the browser that signed
 * up; in any other one it asks for the password. So whoever did not sign up cannot confirm.
 */
export function signUpLinks(parts: SignUpLinkParts): BetterAuthPlugin {
  return {
    id: "sign-up-links",
    // By the names of those that they replace.
    endpoints: {
      signUpEmail: signUpEndpoint(parts),
      verifyEmail: linkEndpoint(parts),
      confirmSignUp: passwordEndpoint(parts),
    },
  };
}

function signUpEndpoint(parts: SignUpLinkParts) {
  const { signup, clock, maySignUp, confirm, alreadySignedUp } = parts;
  return createAuthEndpoint("/sign-up/email", { method: "POST", body: signUpBody }, async (ctx) => {
    if (signup === "closed") {
      const message = "Email and password sign up is not enabled";
      throw new APIError("BAD_REQUEST", { code: "EMAIL_PASSWORD_SIGN_UP_DISABLED", message });
    }
    const { password, generateId, internalAdapter, createAuthCookie, baseURL } = ctx.context;
    const { name, password: typed, callbackURL = "/" } = ctx.body;
    const email = ctx.body.email.toLowerCase();
    const { minPasswordLength, maxPasswordLength } = password.config;
    if (typed.length < minPasswordLength) throw fault("PASSWORD_TOO_SHORT");
    if (typed.length > maxPasswordLength) throw fault("PASSWORD_TOO_LONG");
    // Whatever comes of it: how long the answer takes must not tell whether the e-mail is known.
    const passwordHash = await password.hash(typed);
    const browser = generateRandomString(TOKEN_LENGTH);
    const cookie = createAuthCookie(COOKIE, { maxAge: LINK_SECONDS });
    await ctx.setSignedCookie(cookie.name, browser, ctx.context.secret, cookie.attributes);
    if ((await internalAdapter.findUserByEmail(email)) !== null) {
      alreadySignedUp(email);
    } else if (await maySignUp(email)) {
      const token = generateRandomString(TOKEN_LENGTH);
      const waiting: SignUp = {
        ...{ email, name: tidyName(name, email), passwordHash },
        browserHash: hash(browser).toString("hex"),
      };
      await internalAdapter.createVerificationValue({
        identifier: identifierOf(token),
        value: JSON.stringify(waiting),
        expiresAt: new Date(clock.now() + LINK_SECONDS * 1000),
      });
      const query = new URLSearchParams({ token, callbackURL });
      confirm(email, `${baseURL}/verify-email?${query}`);
    }
    // As better-auth answers, which is the same for all.
    const now = new Date(clock.now());
    const id = generateId({ model: "user" }) || generateRandomString(TOKEN_LENGTH);
    const user = { name, email, emailVerified: false, image: null, createdAt: now, updatedAt: now };
    return ctx.json({ token: null, user: { ...user, id } });
  });
}

/** Where the link of the mail leads. */
function linkEndpoint({ clock }: SignUpLinkParts) {
  const query = z.object({ token: z.string(), callbackURL: z.string().optional() });
  const use = [originCheck((ctx) => ctx.query.callbackURL)];
  return createAuthEndpoint("/verify-email", { method: "GET", query, use }, async (ctx) => {
    const { token, callbackURL } = ctx.query;
    const waiting = await findSignUp(ctx, { token, clock });
    if (waiting === undefined) {
      if (callbackURL === undefined) throw fault("INVALID_TOKEN", "UNAUTHORIZED");
      throw ctx.redirect(withError(callbackURL, "INVALID_TOKEN"));
    }
    if (!(await isItsBrowser(ctx, waiting))) {
      throw ctx.redirect(`${PASSWORD_PAGE}?${new URLSearchParams({ confirm: token })}`);
    }
    const isMade = await makeUser(ctx, token);
    if (callbackURL === undefined) return ctx.json({ status: isMade });
    throw ctx.redirect(isMade ? callbackURL : withError(callbackURL, "INVALID_TOKEN"));
  });
}

/** The link was opened in another browser: whoever signed up knows the password. */
function passwordEndpoint({ clock }: SignUpLinkParts) {
  const body = z.object({ token: z.string(), password: z.string() });
  return createAuthEndpoint("/confirm-sign-up", { method: "POST", body }, async (ctx) => {
    const { token, password } = ctx.body;
    const waiting = await findSignUp(ctx, { token, clock });
    if (waiting === undefined) throw fault("INVALID_TOKEN", "UNAUTHORIZED");
    const hashed = waiting.passwordHash;
    if (!(await ctx.context.password.verify({ hash: hashed, password }))) {
      throw fault("INVALID_SIGN_UP_PASSWORD", "UNAUTHORIZED");
    }
    if (!(await makeUser(ctx, token))) throw fault("INVALID_TOKEN", "UNAUTHORIZED");
    return ctx.json({ status: true });
  });
}

async function findSignUp(
  { context }: GenericEndpointContext,
  { token, clock }: { readonly token: string } & Pick<SignUpLinkParts, "clock">,
): Promise<SignUp | undefined> {
  const found = await context.internalAdapter.findVerificationValue(identifierOf(token));
  if (found === null || found.expiresAt.getTime() <= clock.now()) return undefined;
  return JSON.parse(found.value) as SignUp;
}

async function isItsBrowser(
  ctx: GenericEndpointContext,
  { browserHash }: SignUp,
): Promise<boolean> {
  const { name } = ctx.context.createAuthCookie(COOKIE);
  const browser = await ctx.getSignedCookie(name, ctx.context.secret);
  if (typeof browser !== "string") return false;
  return timingSafeEqual(hash(browser), Buffer.from(browserHash, "hex"));
}

/** Makes the user and signs it in, once; false where the sign-up or the e-mail was taken meanwhile. */
async function makeUser(ctx: GenericEndpointContext, token: string): Promise<boolean> {
  const { internalAdapter } = ctx.context;
  const taken = await internalAdapter.consumeVerificationValue(identifierOf(token));
  if (taken === null) return false;
  const { email, name, passwordHash } = JSON.parse(taken.value) as SignUp;
  if ((await internalAdapter.findUserByEmail(email)) !== null) return false;
  const user = await internalAdapter.createUser(
    { email, name, emailVerified: true },
    { method: "email-password" },
  );
  const userId = user.id;
  await internalAdapter.linkAccount({
    ...{ userId, accountId: userId, providerId: "credential", password: passwordHash },
  });
  const session = await internalAdapter.createSession(userId);
  await setSessionCookie(ctx, { session, user });
  const { name: cookie, attributes } = ctx.context.createAuthCookie(COOKIE, { maxAge: 0 });
  ctx.setCookie(cookie, "", attributes);
  return true;
}

const identifierOf = (token: string): string => `sign-up:${token}`;

const hash = (text: string): Buffer => createHash("sha256").update(text).digest();

function withError(address: string, code: string): string {
  return `${address}${address.includes("?") ? "&" : "?"}error=${code}`;
}

type Fault = "PASSWORD_TOO_SHORT" | "PASSWORD_TOO_LONG" | "INVALID_TOKEN";

function fault(
  code: Fault | "INVALID_SIGN_UP_PASSWORD",
  status: "BAD_REQUEST" | "UNAUTHORIZED" = "BAD_REQUEST",
): APIError {
  if (code !== "INVALID_SIGN_UP_PASSWORD") return APIError.from(status, BASE_ERROR_CODES[code]);
  return new APIError(status, { code, message: "this is not the password of the sign-up" });
}
