import { scanObject, skipSpace } from "../lib/json-scan.ts";
import type { PlainError } from "./failures.ts";
import type { UpstreamAnswer } from "./upstream-answer.ts";

/** Up to here the whole structure is checked; what is larger, by its envelope and its ends. */
const SMALL_BYTES = 4096;
/** How much of what is no JSON-RPC is kept, to tell what it was. */
const GARBAGE_BYTES = 2048;

const CLOSERS = new Map([
  [0x22, 0x22],
  [0x7b, 0x7d],
  [0x5b, 0x5d],
]);

/**
 * What a node's body says to the request of this id. The result is a view of the body, not a copy,
 * and is not parsed. A body of another id, without a result, or cut off is garbage.
 */
export function readAnswer(status: number, body: Buffer, id: number): UpstreamAnswer {
  const result = status < 400 ? readResult(body, id) : undefined;
  if (result !== undefined) return { kind: "result", result };
  const error = readError(body, id);
  if (error !== undefined) return { kind: "error", status, error };
  return { kind: "garbage", status, body: body.toString("utf8", 0, GARBAGE_BYTES) };
}

function readResult(body: Buffer, id: number): Buffer | undefined {
  return body.length > SMALL_BYTES
    ? (readLargeResult(body, id) ?? readScanned(body, id))
    : readScanned(body, id);
}

/** The form in which nearly all nodes answer: the result last, straight after the envelope. */
function readLargeResult(body: Buffer, id: number): Buffer | undefined {
  const head = body.toString("latin1", 0, 80);
  const start =
    after(head, `{"jsonrpc":"2.0","id":${id},"result":`) ??
    after(head, `{"id":${id},"jsonrpc":"2.0","result":`);
  if (start === undefined) return undefined;
  let end = body.length;
  while (end > start && (body[end - 1] ?? 0) <= 0x20) end -= 1;
  if (body[end - 1] !== 0x7d) return undefined;
  const closer = CLOSERS.get(body[start] ?? 0);
  const closed = closer !== undefined && end - start > 2 && body[end - 2] === closer;
  return closed ? body.subarray(start, end - 1) : undefined;
}

function after(head: string, beginning: string): number | undefined {
  return head.startsWith(beginning) ? beginning.length : undefined;
}

function readScanned(body: Buffer, id: number): Buffer | undefined {
  const scanned = scanObject(body);
  if (scanned === undefined || skipSpace(body, scanned.end) !== body.length) return undefined;
  let result: Buffer | undefined;
  let sameId = false;
  for (const { key, valueStart, valueEnd } of scanned.members) {
    if (key === "result") result = body.subarray(valueStart, valueEnd);
    else if (key === "id") sameId = body.toString("latin1", valueStart, valueEnd) === String(id);
    else if (key === "error" && body.toString("latin1", valueStart, valueEnd) !== "null")
      return undefined;
  }
  return sameId ? result : undefined;
}

/** A node that could not read the request answers with the id null; that is still its error. */
function readError(body: Buffer, id: number): PlainError | undefined {
  let envelope: unknown;
  try {
    envelope = JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
  if (typeof envelope !== "object" || envelope === null || !("error" in envelope)) return undefined;
  const { error } = envelope;
  const answered = "id" in envelope ? envelope.id : null;
  if (answered !== null && answered !== id) return undefined;
  return typeof error === "object" && error !== null ? { ...error } : undefined;
}
