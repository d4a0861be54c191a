import { z } from "zod";
import { allowKind, id } from "./common.ts";
import { defineRoute } from "./route.ts";

export const consoleConfig = z.object({
  name: z.string(),
  version: z.string(),
  signup: z.enum(["open", "invite", "closed"]),
  /** Whether mail can be sent. */
  mail: z.boolean(),
  /** Whether calls can be found by the id of their request. */
  requestLog: z.boolean(),
  /** Where clients call; no slash at the end. */
  gateway: z.object({ httpUrl: z.string(), wsUrl: z.string() }),
});
export type ConsoleConfig = z.output<typeof consoleConfig>;

export const role = z.enum(["owner", "member"]);
export type Role = z.output<typeof role>;

export const ownAccount = z.object({
  id: id("acc"),
  email: z.string(),
  plan: z.string(),
  role,
  suspended: z.boolean(),
});
export type OwnAccount = z.output<typeof ownAccount>;

export const me = z.object({
  user: z.object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    twoFactor: z.boolean(),
    hasPassword: z.boolean(),
  }),
  operator: z.boolean(),
  accounts: z.array(ownAccount),
});
export type Me = z.output<typeof me>;

export const paramMember = z.object({
  name: z.string(),
  /** The right form, for people. */
  want: z.string(),
  role: z.string().nullable(),
  /** Null: it is not one of few. */
  choices: z.array(z.string()).nullable(),
});
export type ParamMember = z.output<typeof paramMember>;

export const methodParam = z.object({
  name: z.string(),
  required: z.boolean(),
  /** The right form, for people. */
  want: z.string(),
  role: z.string().nullable(),
  /** The value that is sent to the node where it is left out; null: nothing. */
  fallback: z.unknown(),
  /** Of an object those members that people give most; empty where it is none. */
  members: z.array(paramMember),
});
export type MethodParam = z.output<typeof methodParam>;

export const method = z.object({
  method: z.string(),
  credits: z.int().min(0),
  params: z.array(methodParam),
  /** Params that are right, to begin with; null where some are known to nobody but the caller. */
  example: z.array(z.unknown()).nullable(),
});
export type Method = z.output<typeof method>;

export const network = z.object({
  name: z.string(),
  family: z.enum(["evm", "slot"]),
  chainId: z.int().nullable(),
  /** A key is appended to these. */
  httpUrl: z.string(),
  wsUrl: z.string(),
  methods: z.array(method),
});
export type NetworkView = z.output<typeof network>;

export const networks = z.object({ networks: z.array(network) });
export type Networks = z.output<typeof networks>;

export const allowEntryCheck = z.object({
  /** As it would be stored; null where it cannot be. */
  entry: z.string().nullable(),
  fault: z.string().nullable(),
});
export type AllowEntryCheck = z.output<typeof allowEntryCheck>;

export const readConfig = defineRoute({
  id: "readConfig",
  method: "GET",
  url: "/api/config",
  access: "public",
  summary: "What a page needs to know before anybody has signed in",
  status: 200,
  reply: consoleConfig,
});

export const readMe = defineRoute({
  id: "readMe",
  method: "GET",
  url: "/api/me",
  access: "user",
  summary: "Who is signed in, and the accounts that they belong to",
  status: 200,
  reply: me,
  // Where anybody may sign up, the first request of a new person makes their account.
  audit: ["account.create"],
});

export const listNetworks = defineRoute({
  id: "listNetworks",
  method: "GET",
  url: "/api/networks",
  access: "user",
  summary: "The networks that are served, with their methods, prices and parameters",
  status: 200,
  reply: networks,
});

export const checkAllowEntry = defineRoute({
  id: "checkAllowEntry",
  method: "POST",
  url: "/api/allow-entries/check",
  access: "user",
  summary: "Whether a text can stand in a key's allow-list, and how it would be stored",
  body: z.strictObject({ kind: allowKind, value: z.string().max(1000) }),
  status: 200,
  reply: allowEntryCheck,
});

export const readOpenApi = defineRoute({
  id: "readOpenApi",
  method: "GET",
  url: "/api/openapi.json",
  access: "public",
  summary: "This document",
  status: 200,
  reply: z.looseObject({ openapi: z.string() }),
});
