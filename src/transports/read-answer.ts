import { isUtf8 } from "node:buffer";
import type { PlainError } from "../failures/failures.ts";
import { scanObject } from "../lib/json-scan.ts";
import { skipSpace, valueEnd, viewOf } from "../lib/json-value.ts";
import { keptBytes } from "../wire/bytes/read-buffer.ts";
import { LARGE_BYTES, largeEnd } from "./large-result.ts";
import { plainPiece, plainResult, viewed } from "./plain-result.ts";
import type { UpstreamAnswer } from "./upstream-answer.ts";

/** How much of what is no JSON-RPC is kept, to tell what it was. */
const GARBAGE_BYTES = 2048;
export const NOT_UTF8 = "invalid UTF-8";

export type Expected = {
  /** The request's. */
  readonly id: number;
  /** Whether it was said where the body ends; one that ends with its connection may be cut off. */
  readonly framed: boolean;
};

/**
 * The answer in a node's body to the request of this id. The result is a view of the body, or a text
 * where it is a short string, and is not parsed. A body of another id, without a result, cut off, or
 * that is not one JSON text in UTF-8 is garbage. `given` may be a part of what was read, of which
 * nothing is kept. A result over LARGE_BYTES in a framed body is not looked through: see `isOneValue`.
 */
export function readAnswer(status: number, given: Buffer, expected: Expected): UpstreamAnswer {
  const { id } = expected;
  if (status < 400 && given.length <= LARGE_BYTES) {
    const plain = plainResult(viewed(given), 0);
    if (plain?.id === id && skipSpace(given, plain.end + 1) === given.length) {
      const piece = plainPiece(given, plain);
      const own = typeof piece === "string" ? piece : keptBytes(piece);
      return { kind: "result", result: [own] };
    }
  }
  const body = keptBytes(given);
  if (!isUtf8(body)) return garbageOf(status, body, NOT_UTF8);
  const usual = status < 400 ? readUsual(body, expected) : undefined;
  if (usual !== undefined) return { kind: "result", result: [usual] };
  if (!isJson(body)) return garbageOf(status, body, "invalid JSON");
  const result = status < 400 ? readScanned(body, id) : undefined;
  if (result !== undefined) return { kind: "result", result: [result] };
  const error = readError(body, id);
  return error === undefined ? garbageOf(status, body) : { kind: "error", status, error };
}

/** A body that is no JSON-RPC. `fault`, for the log, says what is wrong where the beginning looks right. */
export function garbageOf(status: number, body: Buffer, fault = ""): UpstreamAnswer {
  const text = body.toString("utf8", 0, GARBAGE_BYTES);
  const told = fault !== "" && /^\s*[[{]/.test(text) ? `(${fault}) ${text}` : text;
  return { kind: "garbage", status, body: told };
}

/** Whether the bytes are one JSON value; whether they are UTF-8 is not looked at. */
function isJson(body: Buffer): boolean {
  const end = valueEnd(body, skipSpace(body, 0), viewOf(body));
  return end > 0 && skipSpace(body, end) === body.length;
}

/**
 * The forms in which nearly all nodes answer: the result last, straight after the envelope, or
 * between its members (Agave). One walk through the result finds its end and checks it.
 */
function readUsual(body: Buffer, { id, framed }: Expected): Buffer | undefined {
  const head = body.toString("latin1", 0, 80);
  let tail = "}";
  let start =
    after(head, `{"jsonrpc":"2.0","id":${id},"result":`) ??
    after(head, `{"id":${id},"jsonrpc":"2.0","result":`);
  if (start === undefined) {
    start = after(head, '{"jsonrpc":"2.0","result":');
    tail = `,"id":${id}}`;
  }
  if (start === undefined) return undefined;
  if (framed && body.length > LARGE_BYTES) {
    const last = largeEnd(body, start, tail);
    if (last !== undefined) return body.subarray(start, last);
  }
  const end = valueEnd(body, start, viewOf(body));
  if (end < 0 || body.toString("latin1", end, end + tail.length) !== tail) return undefined;
  return skipSpace(body, end + tail.length) === body.length ? body.subarray(start, end) : undefined;
}

function after(head: string, beginning: string): number | undefined {
  return head.startsWith(beginning) ? beginning.length : undefined;
}

function readScanned(body: Buffer, id: number): Buffer | undefined {
  let result: Buffer | undefined;
  let sameId = false;
  for (const { key, valueStart, valueEnd } of scanObject(body)?.members ?? []) {
    if (key === "result") result = body.subarray(valueStart, valueEnd);
    else if (key === "id") sameId = body.toString("latin1", valueStart, valueEnd) === String(id);
    else if (key === "error" && body.toString("latin1", valueStart, valueEnd) !== "null")
      return undefined;
  }
  return sameId ? result : undefined;
}

/**
 * The error of this id in a JSON text; without one, of whatever id. A node that could not read the
 * request answers with the id null; that is still its error.
 */
export function readError(json: Buffer, id?: number): PlainError | undefined {
  const envelope: unknown = JSON.parse(json.toString("utf8"));
  if (typeof envelope !== "object" || envelope === null || !("error" in envelope)) return undefined;
  const { error } = envelope;
  const answered = "id" in envelope ? envelope.id : null;
  if (answered !== null && id !== undefined && answered !== id) return undefined;
  return typeof error === "object" && error !== null ? { ...error } : undefined;
}
