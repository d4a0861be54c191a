import { Buffer, isUtf8 } from "node:buffer";
import { countTokens, MAX_TOKENS } from "./count-tokens.ts";
import type { RpcError } from "./errors.ts";
import { ARRAY, JsonReader, JsonSyntaxError, OBJECT } from "./json-reader.ts";
import type { RepeatedTexts } from "./repeated-texts.ts";
import type { JsonValue } from "./value.ts";

/** One call of a message, or what is wrong with it. */
export type ParsedCall = {
  /** The id's own bytes, one character per byte (`"null"` where there is none to echo). */
  readonly id: string;
  /** Without an id: not run, not answered. */
  readonly notification: boolean;
  readonly method: string;
  readonly params: JsonValue | undefined;
  /** Their text, where it is to the letter what `encode` makes of them. */
  readonly paramsText: string | undefined;
  readonly fault: RpcError | undefined;
};

/** One body or WebSocket message. A fault is answered once, with the id null. */
export type ParsedMessage =
  | { readonly kind: "single"; readonly call: ParsedCall }
  | { readonly kind: "batch"; readonly calls: readonly ParsedCall[] }
  | { readonly kind: "fault"; readonly fault: RpcError; readonly inArray: boolean };

export const MAX_BATCH = 1000;
const MAX_METHOD_LENGTH = 2048;
const NO_ID = "null";

/**
 * Stage 1: bytes to calls, by JSON-RPC 2.0, and go-ethereum 1.17 where that is silent
 * (its `rpc/json.go` and `rpc/handler.go`). Never throws. `repeated`: what has come in messages before.
 */
export function parseMessage(body: Buffer, repeated?: RepeatedTexts): ParsedMessage {
  const fault = body.length > MAX_TOKENS ? faultOfLarge(body) : undefined;
  if (fault !== undefined) return fault;
  const reader = new JsonReader(body, repeated);
  if (!reader.isPlain && !isUtf8(body)) return parseFault;
  try {
    const message = reader.peek() === ARRAY.open ? readBatch(reader) : readSingle(reader);
    const isAll = message === tooManyCalls || Number.isNaN(reader.peek());
    return isAll ? message : parseFault;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return parseFault;
    throw error;
  }
}

const parseFault: ParsedMessage = Object.freeze({
  kind: "fault",
  fault: Object.freeze({ name: "parse_error" }),
  inArray: false,
});

const tooManyTokens: ParsedMessage = Object.freeze({
  kind: "fault",
  fault: Object.freeze({
    name: "invalid_request",
    message: `message too complex: it has more than ${MAX_TOKENS} JSON tokens; send several`,
  }),
  inArray: false,
});

/**
 * The fault of a message that may have too many tokens. Fewer bytes hold no more of them, but for
 * brackets nested too deep, which are skipped.
 */
function faultOfLarge(body: Buffer): ParsedMessage | undefined {
  const { tokens, elements, isMalformed } = countTokens(body);
  if (isMalformed) return parseFault;
  if (tokens <= MAX_TOKENS) return undefined;
  return elements > MAX_BATCH ? tooManyCalls : tooManyTokens;
}

function readSingle(reader: JsonReader): ParsedMessage {
  return { kind: "single", call: readCall(reader, 1) };
}

function readBatch(reader: JsonReader): ParsedMessage {
  const calls: ParsedCall[] = [];
  let length = 0;
  for (let more = reader.enter(ARRAY); more; more = reader.another(ARRAY)) {
    length += 1;
    const call = readCall(reader, 2);
    if (length <= MAX_BATCH) calls.push(call);
  }
  if (length === 0) return batchFault("empty batch", false);
  if (length > MAX_BATCH) return tooManyCalls;
  return { kind: "batch", calls };
}

function batchFault(message: string, inArray: boolean): ParsedMessage {
  return { kind: "fault", fault: { name: "invalid_request", message }, inArray };
}

const tooManyCalls = batchFault("batch too large", true);

function invalid(id: string, message: string): ParsedCall {
  const fault: RpcError = { name: "invalid_request", message };
  const [params, paramsText] = [undefined, undefined];
  return { id, notification: false, method: "", params, paramsText, fault };
}

function readCall(reader: JsonReader, level: number): ParsedCall {
  reader.tooDeep = false;
  reader.sourceText = undefined;
  if (reader.peek() !== OBJECT.open) {
    reader.value(level);
    return invalid(NO_ID, reader.tooDeep ? TOO_DEEP : "invalid request: a call is an object");
  }
  let id: string | undefined;
  let jsonrpc: JsonValue | undefined;
  let method: JsonValue | undefined;
  let params: JsonValue | undefined;
  const isUsual = reader.takeBytes(USUAL_BEGINNING);
  if (isUsual) {
    jsonrpc = "2.0";
    id = readId(reader, level);
  }
  let more = isUsual ? reader.another(OBJECT) : reader.enter(OBJECT);
  for (; more; more = reader.another(OBJECT)) {
    const key = reader.key();
    if (key === "id") {
      id = readId(reader, level);
      continue;
    }
    if (key === "params") {
      params = reader.sourced(level + 1);
      continue;
    }
    const value = reader.value(level + 1);
    if (key === "method") method = value;
    else if (key === "jsonrpc") jsonrpc = value;
  }
  return judge({ id, jsonrpc, method, params, paramsText: reader.sourceText }, reader.tooDeep);
}

/** The id's own bytes; INVALID_ID where it is none. */
function readId(reader: JsonReader, level: number): string {
  reader.peek();
  const start = reader.position;
  const value = reader.value(level + 1);
  const echoed = typeof value !== "object" || value === null || "text" in value;
  return echoed ? reader.text.slice(start, reader.position) : INVALID_ID;
}

/** As most clients write it, taken in one step. */
const USUAL_BEGINNING = Buffer.from('{"jsonrpc":"2.0","id":');
const INVALID_ID = "";
const TOO_DEEP = "invalid request: nested more than 64 levels deep";

type Envelope = {
  id: string | undefined;
  jsonrpc: JsonValue | undefined;
  method: JsonValue | undefined;
  params: JsonValue | undefined;
  paramsText: string | undefined;
};

function judge(
  { id, jsonrpc, method, params, paramsText }: Envelope,
  tooDeep: boolean,
): ParsedCall {
  const echo = id === undefined || id === INVALID_ID ? NO_ID : id;
  if (tooDeep) return invalid(echo, TOO_DEEP);
  if (id === INVALID_ID) {
    return invalid(NO_ID, "invalid request: id must be a string, a number or null");
  }
  if (jsonrpc !== "2.0") return invalid(echo, 'invalid request: jsonrpc must be "2.0"');
  if (typeof method !== "string" || method === "") {
    return invalid(echo, "invalid request: method must be a string");
  }
  if (method.length > MAX_METHOD_LENGTH) {
    return invalid(echo, `method name too long: ${method.length} > ${MAX_METHOD_LENGTH}`);
  }
  return { id: echo, notification: id === undefined, method, params, paramsText, fault: undefined };
}
