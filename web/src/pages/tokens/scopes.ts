import type { TokenView } from "../../../../src/console/contract/tokens.ts";
import { accountPath, apiUrl } from "../../api.ts";

export type Scope = TokenView["scopes"][number];

/** What each scope allows, as people say it. */
export const SCOPES: readonly { readonly scope: Scope; readonly label: string }[] = [
  { scope: "keys:read", label: "List keys, without their secrets" },
  { scope: "keys:write", label: "Create, change, rotate and revoke keys" },
  { scope: "usage:read", label: "Read usage and balance" },
];

/** A request that the token may make, for a shell. */
export function requestOf(
  scopes: readonly Scope[],
  { origin, account, secret }: Readonly<Record<"origin" | "account" | "secret", string>>,
): string {
  const at = (rest: string) => `${origin}${apiUrl(accountPath(account, rest))}`;
  const head = `curl -H "Authorization: Bearer ${secret}"`;
  if (scopes.includes("usage:read")) return `${head} "${at("/usage/table")}?range=24h"`;
  if (scopes.includes("keys:read")) return `${head} ${at("/keys")}`;
  return `${head} -H "Content-Type: application/json" -d '{"name":"indexer"}' ${at("/keys")}`;
}
