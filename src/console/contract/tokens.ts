import { z } from "zod";
import { TOKEN_SCOPES } from "../../storage/console-stores.ts";
import { accountParams, day, id, listReply, noContent, time } from "./common.ts";
import { TOKEN_NAME_MAX_LENGTH } from "./constants.ts";
import { defineRoute } from "./route.ts";

const tokenScope = z.enum(TOKEN_SCOPES);

export const token = z.object({
  id: id("tok"),
  name: z.string(),
  /** The token's first characters. */
  prefix: z.string(),
  scopes: z.array(tokenScope),
  created: time,
  /** The e-mail of whoever made it. */
  createdBy: z.string(),
  /** Within a minute. */
  lastUsed: time.nullable(),
  /** Refused from then on. */
  expires: time.nullable(),
});
export type TokenView = z.output<typeof token>;

/** `secret` is the token itself: it stands in no other answer. */
export const newToken = z.object({ token, secret: z.string() });
export type NewTokenView = z.output<typeof newToken>;

export const newTokenBody = z.strictObject({
  name: z.string().min(1).max(TOKEN_NAME_MAX_LENGTH),
  scopes: z.array(tokenScope).min(1).max(TOKEN_SCOPES.length),
  /** Refused from 00:00 UTC of that day on. */
  expires: day.nullable().optional(),
});
export type NewTokenBody = z.output<typeof newTokenBody>;

const url = "/api/accounts/:account/tokens";

export const listTokens = defineRoute({
  id: "listTokens",
  method: "GET",
  url,
  access: "member",
  summary: "The API tokens of an account, oldest first",
  params: accountParams,
  status: 200,
  reply: listReply(token),
});

export const createToken = defineRoute({
  id: "createToken",
  method: "POST",
  url,
  access: "owner",
  summary: "Creates an API token; its text is in this answer and nowhere else",
  params: accountParams,
  body: newTokenBody,
  status: 201,
  reply: newToken,
  audit: ["token.create"],
});

export const revokeToken = defineRoute({
  id: "revokeToken",
  method: "DELETE",
  url: `${url}/:token`,
  access: "owner",
  summary: "Ends an API token: its next request is refused",
  params: z.object({ account: id("acc"), token: id("tok") }),
  status: 204,
  reply: noContent,
  audit: ["token.revoke"],
});
