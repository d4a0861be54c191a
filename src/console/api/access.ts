import type { ApiToken } from "../../storage/console-stores.ts";
import type { Account, Storage } from "../../storage/store.ts";
import type { Sessions, SessionUser } from "../auth/sessions.ts";
import type { RouteContract } from "../contract/route.ts";
import type { Role } from "../contract/session.ts";
import { Problem } from "./problem.ts";
import { readToken, type TokenParts } from "./token.ts";

/** The caller, a person or a program with an API token, and a person's role in the account that the route names. */
export type Caller = {
  readonly user: SessionUser | undefined;
  readonly token: ApiToken | undefined;
  readonly account: Account | undefined;
  readonly role: Role | undefined;
};

export type Asked = {
  readonly headers: Headers;
  /** The header of that name: whoever sends one is a program, whatever cookies come with it. */
  readonly authorization: string | undefined;
  /** The id that the request names. */
  readonly account: string | undefined;
};

type Parts = TokenParts & {
  readonly sessions: Sessions;
  readonly storage: Pick<Storage, "accounts" | "members">;
};

/** One text for what is unknown and for what belongs to somebody else. */
export const notFound = (): Problem =>
  new Problem("not_found", "there is nothing with this id; look it up in its list");

const NOBODY: Caller = { user: undefined, token: undefined, account: undefined, role: undefined };

/**
 * The one place in which it is decided who may do what.
 * @throws Problem
 */
export async function checkAccess(
  parts: Parts,
  contract: Pick<RouteContract, "access" | "scope" | "method">,
  request: Asked,
): Promise<Caller> {
  const { access, method } = contract;
  if (access === "public") return NOBODY;
  if (request.authorization !== undefined) {
    const token = await readToken(parts, request.authorization);
    checkToken(token, contract, request);
    const account = await parts.storage.accounts.findById(token.accountId);
    if (account === undefined) throw notFound();
    checkSuspended(account, method);
    return { ...NOBODY, token, account };
  }
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
  // What a program may read of an account an operator may look at: keys without their texts, and usage.
  const mayLook = method === "GET" && contract.scope !== undefined;
  if (role === undefined && !(mayLook && (await isOperator(parts, user)))) throw notFound();
  if (access === "owner" && role !== "owner") {
    throw new Problem("forbidden", "this is for the account's owner; ask them");
  }
  checkSuspended(account, method);
  return { ...NOBODY, user, account, role };
}

function checkToken(
  { accountId, scopes }: ApiToken,
  { scope }: Pick<RouteContract, "scope">,
  { account }: Asked,
): void {
  if (scope === undefined) {
    throw new Problem("forbidden", "API tokens cannot be used for this; sign in to do it");
  }
  if (accountId !== account) throw notFound();
  if (!scopes.includes(scope)) {
    throw new Problem(
      "forbidden",
      `the API token lacks the scope ${scope}; create one that has it`,
    );
  }
}

function checkSuspended({ suspended }: Account, method: RouteContract["method"]): void {
  if (!suspended || method === "GET") return;
  throw new Problem("forbidden", "the account is suspended; ask an operator of this gateway");
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

/** The role is undefined where the account is not the user's. */
async function ownAccount(
  { storage }: Parts,
  user: SessionUser,
  id: string,
): Promise<{ account: Account; role: Role | undefined }> {
  const [account, memberships] = await Promise.all([
    storage.accounts.findById(id),
    storage.members.ofEmail(user.email),
  ]);
  if (account === undefined) throw notFound();
  if (isOwner(user, account)) return { account, role: "owner" };
  const isMember = memberships.some(({ accountId }) => accountId === id);
  return { account, role: isMember ? "member" : undefined };
}
