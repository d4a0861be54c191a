import { Buffer } from "node:buffer";
import { isAt, isNameAt, numberAt } from "../../lib/scan-bytes.ts";
import {
  endOfText,
  findHeaderLine,
  type HeaderLine,
  KEEP_ALIVE,
  LINE_END,
} from "../bytes/header-line.ts";
import { keepAliveSecondsIn, type ResponseHead } from "./response-head.ts";

/** A node's has a few hundred. */
const MAX_HEAD_BYTES = 1024;

const START = Buffer.from("HTTP/1.1 200");
const [SPACE, CR] = [0x20, 0x0d];

const CONTENT_LENGTH = Buffer.from("content-length");
const CONNECTION = Buffer.from("connection");
/** The header; Connection has a value of the same name. */
const KEEP_ALIVE_TIME = Buffer.from("keep-alive");
/** Headers that say more of the connection, or of the body, than the usual answer does. */
const ODD = ["transfer-encoding", "retry-after"].map((name) => Buffer.from(name));

const line: HeaderLine = { nameEnd: 0, valueStart: 0, valueEnd: 0 };

export type PlainResponse = {
  readonly head: ResponseHead;
  readonly sizeBytes: number;
  /** Where the digits of the Content-Length are. */
  readonly lengthStart: number;
  readonly lengthEnd: number;
};

/**
 * The head that these bytes begin with, where it is the usual one: 200, one Content-Length, a
 * connection that goes on. Undefined for all else, also for a head that has not come as a whole:
 * whatever is in doubt is for `parseHead`, which says the same of this one at three times the cost.
 */
export function readPlainResponse(bytes: Buffer, size: number): PlainResponse | undefined {
  if (!isAt(bytes, 0, START)) return undefined;
  let at = START.length;
  if (bytes[at] === SPACE) at = endOfText(bytes, at);
  if (!isAt(bytes, at, LINE_END)) return undefined;
  at += LINE_END.length;
  let body = -1;
  let lengthStart = 0;
  let lengthEnd = 0;
  let keepAlive: string | undefined;
  const limit = Math.min(size, MAX_HEAD_BYTES);
  while (at < limit) {
    if (bytes[at] === CR) {
      const sizeBytes = at + LINE_END.length;
      if (body < 0 || sizeBytes > limit || !isAt(bytes, at, LINE_END)) return undefined;
      const seconds = keepAlive === undefined ? undefined : keepAliveSecondsIn(keepAlive);
      const head = usual(body, seconds);
      return { head, sizeBytes, lengthStart, lengthEnd };
    }
    if (!findHeaderLine(bytes, at, line)) return undefined;
    const { nameEnd, valueStart: value, valueEnd: end } = line;
    const length = nameEnd - at;
    if (length === CONTENT_LENGTH.length && isNameAt(bytes, at, CONTENT_LENGTH)) {
      if (body >= 0) return undefined;
      body = numberAt(bytes, value, end);
      if (body < 0) return undefined;
      lengthStart = value;
      lengthEnd = end;
    } else if (length === CONNECTION.length && isNameAt(bytes, at, CONNECTION)) {
      const goesOn = end - value === KEEP_ALIVE.length && isNameAt(bytes, value, KEEP_ALIVE);
      if (!goesOn) return undefined;
    } else if (length === KEEP_ALIVE_TIME.length && isNameAt(bytes, at, KEEP_ALIVE_TIME)) {
      keepAlive = bytes.toString("latin1", value, end);
    } else if (ODD.some((name) => name.length === length && isNameAt(bytes, at, name))) {
      return undefined;
    }
    at = end + LINE_END.length;
  }
  return undefined;
}

/** The head of a usual response with a body of `body` bytes. */
export function usual(body: number, keepAliveSeconds: number | undefined): ResponseHead {
  return { status: 200, body, persists: true, keepAliveSeconds, retryAfter: undefined };
}
