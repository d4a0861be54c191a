import { nameFault } from "../../access/account-checks.ts";
import { createApiToken, displayPrefix, hashApiKey } from "../../access/api-key.ts";
import { createId } from "../../access/ids.ts";
import type { ApiToken } from "../../storage/console-stores.ts";
import { readEnd } from "../accounts/key-requests.ts";
import { notFound } from "../api/access.ts";
import type { ApiParts } from "../api/parts.ts";
import { Problem } from "../api/problem.ts";
import { type BoundRoute, bind } from "../api/route.ts";
import { MOST_TOKENS } from "../contract/constants.ts";
import { createToken, listTokens, revokeToken, type TokenView } from "../contract/tokens.ts";
import { isoTime, isoTimeOrNull } from "../iso-time.ts";

/** Owners make and end tokens: a member who was taken out of the account leaves none behind. */
export function tokenRoutes(parts: ApiParts): BoundRoute[] {
  const { storage } = parts;
  return [
    bind(listTokens, async ({ account }) => ({
      items: (await storage.tokens.list(account.id)).map(tokenView),
    })),
    creation(parts),
    bind(revokeToken, async ({ account, params, note }) => {
      const tokens = await storage.tokens.list(account.id);
      const token = tokens.find(({ id }) => id === params.token);
      if (token === undefined || !(await storage.tokens.remove(account.id, token.id))) {
        throw notFound();
      }
      note({ action: "token.revoke", target: token.id, detail: { name: token.name } });
      return undefined;
    }),
  ];
}

function creation({ storage, clock, random, config }: ApiParts): BoundRoute {
  return bind(createToken, async ({ account, user, body, note }) => {
    const fault = nameFault(body.name, "an API token");
    if (fault !== undefined) throw new Problem("bad_request", fault, { field: "body.name" });
    const now = clock.now();
    const text = createApiToken(random);
    const token: ApiToken = {
      id: createId("tok", random),
      accountId: account.id,
      name: body.name,
      hash: hashApiKey(text, config.keys.pepper),
      prefix: displayPrefix(text),
      scopes: [...new Set(body.scopes)],
      createdAt: now,
      createdBy: user.email,
      expiresAt: body.expires == null ? null : readEnd(body.expires, now),
      lastUsedAt: null,
    };
    if (!(await storage.tokens.insert(token, MOST_TOKENS))) {
      throw new Problem("conflict", `an account may have ${MOST_TOKENS} API tokens; revoke one`);
    }
    const { id, name, scopes } = token;
    note({ action: "token.create", target: id, detail: { name, scopes: scopes.join(", ") } });
    return { token: tokenView(token), secret: text };
  });
}

function tokenView(token: ApiToken): TokenView {
  const { id, name, prefix, createdBy } = token;
  return {
    ...{ id, name, prefix, createdBy, scopes: [...token.scopes] },
    created: isoTime(token.createdAt),
    lastUsed: isoTimeOrNull(token.lastUsedAt),
    expires: isoTimeOrNull(token.expiresAt),
  };
}
