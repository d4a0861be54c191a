import type { Piece } from "../lib/bytes.ts";
import { scanObject, skipSpace } from "../lib/json-scan.ts";
import { keptBytes } from "../lib/read-buffer.ts";
import type { PlainError } from "./failures.ts";
import { plainPiece, plainResult, viewed } from "./plain-result.ts";
import type { UpstreamAnswer } from "./upstream-answer.ts";

/** Bodies up to here: the whole structure is checked; larger: the envelope and the ends. */
const SMALL_BYTES = 4096;
/** Of a larger one so much is looked through from its end: longer than a member beside the result. */
const TAIL_BYTES = 512;
/** How much of what is no JSON-RPC is kept, to tell what it was. */
const GARBAGE_BYTES = 2048;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const CLOSERS = new Map([
  [0x22, 0x22],
  [0x7b, 0x7d],
  [0x5b, 0x5d],
]);

export type Expected = {
  /** The request's. */
  readonly id: number;
  /** Whether HTTP said where the body ends; one that ends with its connection may be cut off. */
  readonly framed: boolean;
};

/**
 * What a node's body says to the request of this id. The result is a view of the body, or a text
 * where it is a short string, and is not parsed. A body of another id, without a result, or cut off is garbage.
 * `given` may be a part of what was read, of which nothing is kept.
 */
export function readAnswer(status: number, given: Buffer, expected: Expected): UpstreamAnswer {
  if (status < 400) {
    const plain = plainResult(viewed(given), 0);
    if (plain?.id === expected.id && skipSpace(given, plain.end + 1) === given.length) {
      const piece = plainPiece(given, plain);
      const own = typeof piece === "string" ? piece : keptBytes(piece);
      return { kind: "result", result: [own] };
    }
  }
  const body = keptBytes(given);
  if (status < 400) {
    const result = readUsual(body, expected) ?? readScanned(body, expected.id);
    if (result !== undefined) return { kind: "result", result: [result] };
  }
  const error = readError(body, expected);
  if (error !== undefined) return { kind: "error", status, error };
  return garbageOf(status, body);
}

/** A body that is no JSON-RPC. */
export function garbageOf(status: number, body: Buffer): UpstreamAnswer {
  return { kind: "garbage", status, body: body.toString("utf8", 0, GARBAGE_BYTES) };
}

/**
 * The forms in which nearly all nodes answer: the result last, straight after the envelope, or
 * between its members (Agave). A large one is not walked through: it ends with the bracket that it
 * began with, and that closes nothing small, as it would in a body that was cut off or has another
 * member behind the result.
 */
function readUsual(body: Buffer, { id, framed }: Expected): Piece | undefined {
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
  let end = body.length;
  while (end > start && (body[end - 1] ?? 0) <= 0x20) end -= 1;
  end -= tail.length;
  const closer = CLOSERS.get(body[start] ?? 0);
  if (body[end - 1] !== closer || body.toString("latin1", end, end + tail.length) !== tail) {
    return undefined;
  }
  const isPlain =
    framed && body.length > SMALL_BYTES
      ? !endsInSmallValue(body, end)
      : isPlainString(body, start, end);
  return isPlain ? body.subarray(start, end) : undefined;
}

/** Whether the value that ends there is one of a few bytes. */
function endsInSmallValue(body: Buffer, end: number): boolean {
  const first = Math.max(end - TAIL_BYTES, 0);
  let depth = 0;
  for (let at = end - 1; at >= first; at -= 1) {
    const byte = body[at];
    if (byte === QUOTE) at = openingQuote(body, at, first);
    else if (byte === 0x7d || byte === 0x5d) depth += 1;
    else if (byte === 0x7b || byte === 0x5b) depth -= 1;
    if (depth === 0) return at >= first;
  }
  return false;
}

/** The quote that opens the string that `closing` closes; -1 where it stands before `first`. */
function openingQuote(json: Buffer, closing: number, first: number): number {
  for (let at = closing - 1; at >= first; at -= 1) {
    if (json[at] !== QUOTE) continue;
    let run = at;
    while (json[run - 1] === BACKSLASH) run -= 1;
    if ((at - run) % 2 === 0) return at;
  }
  return -1;
}

/** Whether these bytes are one string without escapes. */
function isPlainString(json: Buffer, start: number, end: number): boolean {
  return (
    json[start] === QUOTE &&
    end - start >= 2 &&
    json.indexOf(QUOTE, start + 1) === end - 1 &&
    json[end - 2] !== BACKSLASH
  );
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

/**
 * The error of this id; without one, of whatever id. A node that could not read the request answers
 * with the id null; that is still its error.
 */
export function readError(body: Buffer, expected?: Pick<Expected, "id">): PlainError | undefined {
  let envelope: unknown;
  try {
    envelope = JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
  if (typeof envelope !== "object" || envelope === null || !("error" in envelope)) return undefined;
  const { error } = envelope;
  const answered = "id" in envelope ? envelope.id : null;
  if (answered !== null && expected !== undefined && answered !== expected.id) return undefined;
  return typeof error === "object" && error !== null ? { ...error } : undefined;
}
