import type { z } from "zod";
import type { TokenScope } from "../../storage/console-stores.ts";

/**
 * Who may ask: `public` anybody, `user` a signed-in person with a verified e-mail, `member` one who
 * belongs to `:account` (its owner too), `owner` the owner of `:account`, `operator` an owner of an
 * operator's account.
 */
export type Access = "public" | "user" | "member" | "owner" | "operator";

/** A route as data: registration, checks, the OpenAPI document and the audit log are made from it. */
export type RouteContract = {
  /** Its name in the OpenAPI document. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** As Fastify writes it: `/api/accounts/:account`. */
  readonly url: string;
  readonly access: Access;
  /** An API token of the account that has this scope may ask, too. */
  readonly scope?: TokenScope;
  readonly summary: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** The HTTP status of an answer without a fault. */
  readonly status: 200 | 201 | 204;
  /** Nothing beyond it leaves the console. Of a stream, what one event or row is. */
  readonly reply: z.ZodType;
  /** `events`: server-sent events, by name; `file`: an attachment. */
  readonly stream?: "events" | "file";
  /** The names of its changes in the audit log; absent where nothing is changed. */
  readonly audit?: readonly string[];
};

/** A route's own types stay its own: handlers are written against them. */
export function defineRoute<const R extends RouteContract>(route: R): R {
  return route;
}

type Part<R extends RouteContract, Name extends "params" | "query" | "body"> = R extends {
  readonly [key in Name]: infer Schema extends z.ZodType;
}
  ? z.output<Schema>
  : undefined;

export type ParamsOf<R extends RouteContract> = Part<R, "params">;
export type QueryOf<R extends RouteContract> = Part<R, "query">;
export type BodyOf<R extends RouteContract> = Part<R, "body">;
