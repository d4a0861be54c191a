import { checkCall } from "../access/allow-lists.ts";
import type { Identity } from "../access/authenticator.ts";
import type { ErrorName, RpcError } from "../jsonrpc/errors.ts";
import { encode, type JsonObject } from "../jsonrpc/value.ts";
import { type Piece, toBinary } from "../lib/bytes.ts";
import { contractsOf } from "../methods/contracts.ts";
import type { Definition, OwnAnswer } from "../methods/definition.ts";
import type { Filters } from "../subscriptions/filters.ts";
import type { FilterCriteria } from "../subscriptions/subscription.ts";
import type { Call } from "./call.ts";
import { notAllowed } from "./refusals.ts";

export type OwnParts = {
  /** The result of tollgate_usage, JSON text. */
  readonly usageOf: (identity: Identity) => Promise<string>;
  readonly filters: Pick<Filters, "create" | "changes" | "logFilter" | "remove">;
};

const NO_FILTER: JsonObject = Object.freeze(new Map());

/** Answers what the gateway knows of the caller, or does for it. */
export function answerOwn(
  own: Exclude<OwnAnswer, "filter logs">,
  call: Call,
  parts: OwnParts,
): "waiting" | undefined {
  const { usageOf, filters } = parts;
  const { session, args } = call;
  const [first] = args;
  switch (own) {
    case "usage":
      return conclude(call, "credits_unavailable", usageOf(session.identity).then(toBinary));
    case "subscribe":
      return subscribe(call);
    case "unsubscribe":
      unsubscribe(call);
      return undefined;
    case "log filter":
      return create(call, { kind: "logs", filter: first as JsonObject }, filters);
    case "block filter":
      return create(call, { kind: "blocks", filter: NO_FILTER }, filters);
    case "pending filter":
      return create(call, { kind: "pending", filter: NO_FILTER }, filters);
    case "filter changes":
      return tellChanges(call, filters);
    case "remove filter":
      return conclude(call, UNREAD, filters.remove(session, String(first)).then(String));
  }
}

/** The call goes on with what is promised, once `take` has seen to that, or with this error. */
function later<What>(
  call: Call,
  failure: ErrorName,
  { promised, take }: { readonly promised: Promise<What>; readonly take: (what: What) => void },
): "waiting" {
  const failed = (error: unknown): void => {
    call.error = { name: failure, internal: String(error) };
  };
  void promised.then(take, failed).then(() => call.goOn(call));
  return "waiting";
}

/** Gives the call what is promised: a result, JSON text, or its error. */
function conclude(
  call: Call,
  failure: ErrorName,
  promised: Promise<string | readonly Piece[] | RpcError>,
): "waiting" {
  const take = (outcome: string | readonly Piece[] | RpcError): void => {
    if (typeof outcome === "string") call.result = [outcome];
    else if ("name" in outcome) call.error = outcome;
    else call.result = outcome;
  };
  return later(call, failure, { promised, take });
}

const UNREAD = "filters_unavailable";

function create(call: Call, criteria: FilterCriteria, filters: OwnParts["filters"]): "waiting" {
  const made = filters.create(call.session, criteria);
  const told = made.then((id) => (typeof id === "string" ? `"${id}"` : id));
  return conclude(call, UNREAD, told);
}

function tellChanges(call: Call, filters: OwnParts["filters"]): "waiting" {
  const { session, args, deadlineMs } = call;
  const options = { deadlineMs, mayTell: (filter: JsonObject) => refusedFor(call, filter) };
  const changes = filters.changes(session, String(args[0]), options);
  const told = changes.then((results) => ("name" in results ? results : listOf(results)));
  return conclude(call, UNREAD, told);
}

/** The call goes on as one of eth_getLogs with the filter's params. */
export function askFilterLogs(call: Call, { filters }: Pick<OwnParts, "filters">): "waiting" {
  const promised = filters.logFilter(call.session, String(call.args[0]));
  const take = (filter: JsonObject | RpcError): void => {
    if ("name" in filter) call.error = filter;
    else call.error = refusedFor(call, filter);
    if (call.error === undefined) call.becomes(getLogs(call), [filter as JsonObject]);
  };
  return later(call, UNREAD, { promised, take });
}

/** The key's lists hold for what a filter looks for, also where they are newer. */
function refusedFor(call: Call, filter: JsonObject): RpcError | undefined {
  const { session, method } = call;
  const { allow } = session.identity;
  const kind = allow && checkCall(allow, method, contractsOf(getLogs(call), [filter]));
  return kind && notAllowed(kind);
}

const getLogs = ({ session }: Call): Definition =>
  session.network.family.lookUp("eth_getLogs") as Definition;

/** As JSON text. */
function listOf(results: readonly Piece[]): readonly Piece[] {
  const pieces: Piece[] = ["["];
  for (const result of results) pieces.push(pieces.length > 1 ? "," : "", result);
  pieces.push("]");
  return pieces;
}

function subscribe(call: Call): "waiting" | undefined {
  let isWaiting = false;
  call.session.subscriptions?.subscribe(call, (outcome) => {
    if ("name" in outcome) call.error = outcome;
    else {
      call.opened = outcome;
      call.result = [outcome.id];
    }
    if (isWaiting) call.goOn(call);
  });
  isWaiting = call.result === undefined && call.error === undefined;
  return isWaiting ? "waiting" : undefined;
}

function unsubscribe(call: Call): void {
  const { session, args } = call;
  const [id = null] = args;
  if (session.subscriptions?.unsubscribe(encode(id)) === true) call.result = ["true"];
  else call.error = session.network.family.noSubscription;
}
