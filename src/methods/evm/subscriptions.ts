/** The subscriptions of WebSockets. What their notifications cost stands in src/subscriptions. */
import type { RpcError } from "../../jsonrpc/errors.ts";
import type { JsonValue } from "../../jsonrpc/value.ts";
import { alike } from "../alike.ts";
import { define } from "../define.ts";
import type { Definition, Param } from "../definition.ts";
import { boolean, goValue, string } from "../params/decode.ts";
import { logCriteria } from "../params/log-filter.ts";
import { quote } from "../params/param-fault.ts";
import { resume } from "../params/resume.ts";

const SUBSCRIBE = "eth_subscribe";
const NAME = goValue("string");
const ID = goValue("rpc.ID");
const BOOL = goValue("bool");

const name: Param = Object.freeze({
  name: "name",
  want: '"newHeads", "logs", "newPendingTransactions" or "syncing"',
  required: true,
  example: "newHeads",
  check: (value) => string(value, NAME),
});

const isWhole: Param = Object.freeze({
  name: "whole",
  want: "true for whole transactions, else false for their hashes",
  required: false,
  check: (value) => boolean(value, BOOL),
});

const id: Param = Object.freeze({
  name: "subscription",
  want: "the id that eth_subscribe gave",
  required: true,
  check: (value) => string(value, ID),
});

const kind = (...params: readonly Param[]): Definition =>
  alike(define({ method: SUBSCRIBE, credits: 5, params: [name, ...params], own: "subscribe" }));

/** By the first parameter. */
const KINDS: ReadonlyMap<JsonValue, Definition> = new Map([
  ["newHeads", kind(resume)],
  ["logs", kind(logCriteria, resume)],
  ["newPendingTransactions", kind(isWhole)],
  ["syncing", kind()],
]);

/** In the words of go-ethereum 1.17 (rpc/json.go, rpc/handler.go). */
function definitionOf(params: JsonValue | undefined): Definition | RpcError {
  if (!Array.isArray(params)) return { name: "invalid_params", message: "non-array args" };
  const [name] = params;
  if (typeof name !== "string") {
    const message = "expected subscription name as first argument";
    return { name: "invalid_params", message };
  }
  const definition = KINDS.get(name);
  if (definition !== undefined) return definition;
  const message = `no ${quote(name)} subscription in eth namespace`;
  return { name: "method_not_found", message };
}

export const SUBSCRIPTION_METHODS: readonly Definition[] = Object.freeze([
  define({
    method: SUBSCRIBE,
    result: "the id of the subscription, under which its notifications come on the same WebSocket",
    credits: 5,
    params: [name],
    own: "subscribe",
    kindOf: definitionOf,
  }),
  define({
    method: "eth_unsubscribe",
    result: "true",
    credits: 10,
    params: [id],
    own: "unsubscribe",
  }),
]);
