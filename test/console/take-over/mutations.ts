import type { Mutation } from "../../support/mutations.ts";

const LINKS = "src/console/auth/sign-up-links.ts";
const OPTIONS = "src/console/auth/auth-options.ts";

/** Faults that the orders have to find. */
export const MUTATIONS: readonly Mutation[] = [
  {
    ...{ name: "a sign-up is confirmed in any browser", file: LINKS },
    ...{ from: "if (!(await isItsBrowser(ctx, waiting))) {", to: "if (waiting === undefined) {" },
  },
  {
    ...{ name: "a sign-up is confirmed in any browser that signed up", file: LINKS },
    ...{ from: 'timingSafeEqual(hash(browser), Buffer.from(browserHash, "hex"))', to: "true" },
  },
  {
    ...{ name: "a sign-up is confirmed with any password", file: LINKS },
    from: "if (!(await ctx.context.password.verify({ hash: hashed, password }))) {",
    to: "if (hashed === password) {",
  },
  {
    ...{ name: "a sign-up needs no link", file: LINKS },
    from: "const query = new URLSearchParams({ token, callbackURL });",
    to: "await makeUser(ctx, token); const query = new URLSearchParams({ token, callbackURL });",
  },
  {
    ...{ name: "signing up sets the password of a user", file: LINKS },
    from: "alreadySignedUp(email);",
    to: "await internalAdapter.updatePassword((await internalAdapter.findUserByEmail(email))?.user.id ?? '', passwordHash);",
  },
  {
    ...{ name: "a confirmed e-mail stays unconfirmed", file: LINKS },
    ...{
      from: "{ email, name, emailVerified: true }",
      to: "{ email, name, emailVerified: false }",
    },
  },
  {
    ...{ name: "a new password leaves sessions open", file: OPTIONS },
    ...{ from: "revokeSessionsOnPasswordReset: true", to: "revokeSessionsOnPasswordReset: false" },
  },
  {
    ...{ name: "a link needs no second factor", file: OPTIONS },
    ...{ from: "    twoFactorForLinks(),\n", to: "" },
  },
  {
    ...{ name: "a code works twice", file: OPTIONS },
    ...{ from: "    oneTimeCodes(parts.clock),\n", to: "" },
  },
  {
    ...{ name: "anybody gets in without an invitation", file: "src/console/auth/signup-policy.ts" },
    ...{ from: 'if (signup === "open") return', to: "return" },
  },
  {
    ...{ name: "scripts see sessions' tokens", file: "src/console/auth/auth-routes.ts" },
    ...{ from: `if (!text.includes('"token"')) return text;`, to: "return text;" },
  },
];
