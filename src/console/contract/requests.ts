import { z } from "zod";
import { accountParams, id, time, whole } from "./common.ts";
import { defineRoute } from "./route.ts";

const line = {
  /** When the call ended. */
  time,
  requestId: z.string(),
  keyId: id("key"),
  network: z.string(),
  method: z.string(),
  /** `ok`, or the name of an error. */
  outcome: z.string(),
  credits: whole,
  durationMs: z.number().min(0),
  /** Where the log holds them. */
  params: z.unknown().optional(),
};

const found = {
  /** False: there may be more of them, further back. */
  isWhole: z.boolean(),
  /** The share of calls that the log holds at all, 0 to 1. */
  ratio: z.number(),
};

export const requestLine = z.object(line);
export type RequestLineView = z.output<typeof requestLine>;
export const foundRequests = z.object({ items: z.array(requestLine), ...found });
export type FoundRequestsView = z.output<typeof foundRequests>;

export const operatorRequestLine = z.object({
  ...line,
  account: id("acc"),
  /** Null: the account has been deleted. */
  email: z.string().nullable(),
  upstream: z.string().nullable(),
});
export type OperatorRequestLine = z.output<typeof operatorRequestLine>;
const allFoundRequests = z.object({ items: z.array(operatorRequestLine), ...found });

const query = z.strictObject({
  /** The `X-Request-Id` of an answer. */
  id: z.string().min(1).max(100),
});

export const findOwnRequests = defineRoute({
  id: "findRequests",
  method: "GET",
  url: "/api/accounts/:account/requests",
  access: "member",
  scope: "usage:read",
  summary: "The calls of one request, by its X-Request-Id, from the request log of this machine",
  params: accountParams,
  query,
  status: 200,
  reply: foundRequests,
});

export const findAllRequests = defineRoute({
  id: "findAllRequests",
  method: "GET",
  url: "/api/operator/requests",
  access: "operator",
  summary: "The same, for any account",
  query,
  status: 200,
  reply: allFoundRequests,
});
