import { z } from "zod";
import {
  accountParams,
  allowChanges,
  allowLists,
  day,
  id,
  limitChanges,
  limits,
  listReply,
  nothing,
  time,
  whole,
} from "./common.ts";
import { KEY_NAME_MAX_LENGTH } from "./constants.ts";
import { defineRoute } from "./route.ts";

const keyState = z.enum(["active", "revoked", "expired"]);

export const key = z.object({
  id: id("key"),
  name: z.string(),
  /** The key's first characters. */
  prefix: z.string(),
  state: keyState,
  created: time,
  lastUsed: time.nullable(),
  /** Refused from then on. */
  expires: time.nullable(),
  revoked: time.nullable(),
  /** Within the account's; null: none of its own. */
  limits,
  allow: allowLists,
});
export type KeyView = z.output<typeof key>;

const listedKey = key.extend({
  /** At all gateways together, as they told some seconds ago. */
  open: z.object({ sockets: whole, subscriptions: whole }),
});
export type ListedKey = z.output<typeof listedKey>;

/** `secret` is the key itself: it stands in no other answer. */
export const newKey = z.object({ key, secret: z.string() });
export type NewKeyView = z.output<typeof newKey>;

export const rotatedKey = z.object({
  key,
  secret: z.string(),
  /** The id of the key that it replaces. */
  replaces: id("key"),
  /** When that one ends. */
  replacedEnds: time,
});
export type RotatedKey = z.output<typeof rotatedKey>;

const keyParams = z.object({ account: id("acc"), key: id("key") });
const name = z.string().min(1).max(KEY_NAME_MAX_LENGTH);

export const newKeyBody = z.strictObject({
  name,
  /** Refused from 00:00 UTC of that day on. */
  expires: day.nullable().optional(),
  limits: limitChanges.optional(),
  allow: allowChanges.optional(),
});
export type NewKeyBody = z.output<typeof newKeyBody>;

export const keyChangesBody = z.strictObject({
  name: name.optional(),
  limits: limitChanges.optional(),
  /** In place of all lists that there are. */
  allow: allowChanges.optional(),
});
export type KeyChangesBody = z.output<typeof keyChangesBody>;

export const listKeys = defineRoute({
  id: "listKeys",
  method: "GET",
  url: "/api/accounts/:account/keys",
  access: "member",
  scope: "keys:read",
  summary: "All keys of an account, oldest first, ended ones too",
  params: accountParams,
  status: 200,
  reply: listReply(listedKey),
});

export const createKey = defineRoute({
  id: "createKey",
  method: "POST",
  url: "/api/accounts/:account/keys",
  access: "member",
  scope: "keys:write",
  summary: "Creates a key; its text is in this answer and nowhere else",
  params: accountParams,
  body: newKeyBody,
  status: 201,
  reply: newKey,
  audit: ["key.create"],
});

export const changeKey = defineRoute({
  id: "changeKey",
  method: "PATCH",
  url: "/api/accounts/:account/keys/:key",
  access: "member",
  scope: "keys:write",
  summary: "Changes a key's name, limits or allow-lists",
  params: keyParams,
  body: keyChangesBody,
  status: 200,
  reply: key,
  audit: ["key.name", "key.limits", "key.allow"],
});

export const rotateKey = defineRoute({
  id: "rotateKey",
  method: "POST",
  url: "/api/accounts/:account/keys/:key/rotate",
  access: "member",
  scope: "keys:write",
  summary:
    "Creates a key with the same name, limits and lists; the old one works until the overlap ends",
  params: keyParams,
  body: z.strictObject({ overlap: z.string().max(20).optional() }),
  status: 201,
  reply: rotatedKey,
  audit: ["key.rotate"],
});

export const revokeKey = defineRoute({
  id: "revokeKey",
  method: "POST",
  url: "/api/accounts/:account/keys/:key/revoke",
  access: "member",
  scope: "keys:write",
  summary: "Ends a key: every gateway refuses it within a second",
  params: keyParams,
  body: nothing,
  status: 200,
  reply: key,
  audit: ["key.revoke"],
});
