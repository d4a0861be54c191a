import type { Config } from "../../config/schema.ts";
import type { Storage } from "../../storage/store.ts";

export type Signup = NonNullable<Config["console"]>["signup"];

/** Whether a user of that e-mail may come to be, by whatever way. */
export type SignupPolicy = (email: string) => Promise<boolean>;

/**
 * `open`: anybody; `invite` and `closed`: an e-mail that an account belongs to, or that is one's
 * member. How these get in differs: `closed` has no sign-up, only links that sign in.
 */
export function signupPolicy(
  signup: Signup,
  { accounts, members }: Pick<Storage, "accounts" | "members">,
): SignupPolicy {
  if (signup === "open") return async () => true;
  return async (email) =>
    (await accounts.findByEmail(email)) !== undefined || (await members.ofEmail(email)).length > 0;
}
