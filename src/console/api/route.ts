import type { z } from "zod";
import type { AuditAction } from "../../access/audit-entry.ts";
import type { AuditDetail, TokenScope } from "../../storage/console-stores.ts";
import type { Account } from "../../storage/store.ts";
import type { SessionUser } from "../auth/sessions.ts";
import type { BodyOf, ParamsOf, QueryOf, RouteContract } from "../contract/route.ts";
import type { Role } from "../contract/session.ts";

/** Replies are read, never written to. */
type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: DeepReadonly<T[Name]> }
    : T;

type ActionOf<R extends RouteContract> = R extends { readonly audit: readonly (infer Action)[] }
  ? Action & AuditAction
  : never;

/** A change that a handler has made; who made it, when and from where is added to it. */
export type ChangeNote<Action extends AuditAction = AuditAction> = {
  readonly action: Action;
  /** The id or name of what was changed. */
  readonly target: string;
  readonly detail?: AuditDetail;
  /** The account that it belongs to, where that is not the route's own `:account`. */
  readonly accountId?: string;
};

type Asks<R extends RouteContract> = R["access"];
/** Absent where a program asks, by an API token. */
type Personal<R extends RouteContract, Value> = R extends { readonly scope: TokenScope }
  ? Value | undefined
  : Value;

/** A request that may be made and is well-formed. */
export type RouteInput<R extends RouteContract> = {
  readonly params: ParamsOf<R>;
  readonly query: QueryOf<R>;
  readonly body: BodyOf<R>;
  readonly user: Asks<R> extends "public" ? undefined : Personal<R, SessionUser>;
  /** The one that the route names as `:account`, and what the user is in it. */
  readonly account: Asks<R> extends "member" | "owner" ? Account : undefined;
  readonly role: Asks<R> extends "member" | "owner" ? Personal<R, Role> : undefined;
  /** Tells the audit log of a change that was made. */
  readonly note: (change: ChangeNote<ActionOf<R>>) => void;
};

/** Sends one event; `json` is its data. */
export type SendEvent = (event: string, json: string) => void;

/** Server-sent events: begins them, and returns what ends them. `end`: no more come. */
export type EventSource = { readonly subscribe: (send: SendEvent, end: () => void) => () => void };

export type Attachment = {
  readonly fileName: string;
  /** The media type, with its character set. */
  readonly type: string;
  readonly chunks: AsyncIterable<string>;
};

type ResultOf<R extends RouteContract> = R extends { readonly stream: "events" }
  ? EventSource
  : R extends { readonly stream: "file" }
    ? Attachment
    : DeepReadonly<z.input<R["reply"]>>;

/** Answers a request. @throws Problem */
export type Handler<R extends RouteContract> = (input: RouteInput<R>) => Promise<ResultOf<R>>;

/** A route with its handler, whatever its types. */
export type BoundRoute = {
  readonly contract: RouteContract;
  readonly handle: (input: never) => Promise<unknown>;
};

export function bind<R extends RouteContract>(contract: R, handle: Handler<R>): BoundRoute {
  return { contract, handle };
}
