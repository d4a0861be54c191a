import type { Account, Storage } from "../../storage/store.ts";
import type { Sessions, SessionUser } from "../auth/sessions.ts";
import type { RouteContract } from "../contract/route.ts";
import type { Role } from "../contract/session.ts";
import { Problem } from "./problem.ts";

/** The caller, and their role in the account that the route names. */
export type Caller = {
  readonly user: SessionUser | undefined;
  readonly account: Account | undefined;
  readonly role: Role | undefined;
};

type Parts = {
  readonly sessions: Sessions;
  readonly storage: Pick<Storage, "accounts" | "members">;
};

/** One text for what is unknown and for what belongs to somebody else. */
export const notFound = (): Problem =>
  new Problem("not_found", "there is nothing of this name here; look at the list that it was in");

const NOBODY: Caller = { user: undefined, account: undefined, role: undefined };

/**
 * The one place in which it is decided who may do what.
 * `account`: the id that the request names.
 * @throws Problem
 */
export async function checkAccess(
  parts: Parts,
  { access, method }: Pick<RouteContract, "access" | "method">,
  request: { readonly headers: Headers; readonly account: string | undefined },
): Promise<Caller> {
  if (access === "public") return NOBODY;
  const user = await parts.sessions.read(request.headers);
  if (user === undefined) throw new Problem("unauthorized", "nobody is signed in; sign in first");
  if (!user.emailVerified) {
    throw new Problem(
      "unauthorized",
      "the e-mail address is not verified; open the link sent to it",
    );
  }
  if (access === "user") return { ...NOBODY, user };
  if (access === "operator") {
    if (await isOperator(parts, user)) return { ...NOBODY, user };
    throw new Problem("forbidden", "this is for operators; ask one of them");
  }
  const { account, role } = await ownAccount(parts, user, request.account ?? "");
  if (access === "owner" && role !== "owner") {
    throw new Problem("forbidden", "this is for the account's owner; ask them");
  }
  if (account.suspended && method !== "GET") {
    throw new Problem("forbidden", "the account is suspended; ask an operator of this gateway");
  }
  return { user, account, role };
}

/** The account that the user is an operator by is not suspended. */
export async function isOperator(
  { storage }: Pick<Parts, "storage">,
  { email }: SessionUser,
): Promise<boolean> {
  const account = await storage.accounts.findByEmail(email);
  return account?.operator === true && !account.suspended;
}

export function isOwner({ email }: SessionUser, account: Account): boolean {
  return account.email.toLowerCase() === email.toLowerCase();
}

async function ownAccount(
  { storage }: Parts,
  user: SessionUser,
  id: string,
): Promise<{ account: Account; role: Role }> {
  const [account, memberships] = await Promise.all([
    storage.accounts.findById(id),
    storage.members.ofEmail(user.email),
  ]);
  if (account === undefined) throw notFound();
  if (isOwner(user, account)) return { account, role: "owner" };
  if (memberships.some(({ accountId }) => accountId === id)) return { account, role: "member" };
  throw notFound();
}
