import { Buffer } from "node:buffer";
import { endOf, isAt, isNameAt, numberAt, tableOf } from "../../lib/scan-bytes.ts";
import { findHeaderLine, type HeaderLine, KEEP_ALIVE, LINE_END } from "../bytes/header-line.ts";
import { isReadPart, READ_BUFFER, READ_WORDS } from "../bytes/read-buffer.ts";
import { MAX_BODY_BYTES } from "./request-body.ts";

/** A longer head is left to node:http, which refuses it beyond 16 KiB. */
const MAX_HEAD_BYTES = 8192;

const START = Buffer.from("POST /");
const VERSION = Buffer.from(" HTTP/1.1\r\n");
const JSON_TYPE = Buffer.from("application/json");
const [SPACE, CR] = [0x20, 0x0d];
const WORD_BYTES = 4;

/** Narrower than what may stand there, so that nothing in it can be read in two ways. */
const IN_TARGET = tableOf(/[\w./?=&~-]/);

/** The headers that some part of the gateway looks at; a name's place here is its `place`. */
const KEPT = [
  ...["host", "content-length", "connection", "content-type", "x-request-id"],
  ...["origin", "user-agent", "x-forwarded-for", "x-min-block", "accept-encoding"],
  "traceparent",
];
const [HOST, CONTENT_LENGTH, CONNECTION, CONTENT_TYPE] = [0, 1, 2, 3];
/** The places of headers that are asked for by place. */
export const PLACE = {
  host: HOST,
  origin: KEPT.indexOf("origin"),
  agent: KEPT.indexOf("user-agent"),
  forwardedFor: KEPT.indexOf("x-forwarded-for"),
  minBlock: KEPT.indexOf("x-min-block"),
  traceparent: KEPT.indexOf("traceparent"),
};
/** Headers that say where a message ends, or ask for more than an answer, are for node:http to read. */
const ODD = [
  ...["transfer-encoding", "content-encoding", "expect", "upgrade", "te", "trailer"],
  ...["proxy-connection", "http2-settings"],
];
const ODD_PLACE = -1;
const NO_PLACE = -2;
const PLACES = new Map([
  ...KEPT.map((name, place): [string, number] => [name, place]),
  ...ODD.map((name): [string, number] => [name, ODD_PLACE]),
]);
/** By the length of a name, as reading one finds it. */
const NAMES = Array.from({ length: 20 }, (_, length) =>
  [...PLACES]
    .filter(([name]) => name.length === length)
    .map(([name, place]) => ({ name: Buffer.from(name), place })),
);

/** The head of a plain request. Its headers are made into text when they are asked for. */
export class PlainHead {
  /** Notes for the next request with this very head. */
  headNotes: unknown = undefined;
  readonly target: string;
  /** The empty line at its end included. */
  readonly sizeBytes: number;
  readonly bodyBytes: number;
  readonly #bytes: Buffer;
  /** Its whole words; made when it comes again. */
  #words: Int32Array | undefined;
  readonly #spans: readonly number[];

  constructor(bytes: Buffer, { targetEnd, end, bodyBytes, spans }: Found) {
    this.target = bytes.toString("latin1", START.length - 1, targetEnd);
    this.sizeBytes = end;
    this.bodyBytes = bodyBytes;
    // A copy: heads are kept, and a part of what was received, or of Node's pool, would keep all of that.
    this.#bytes = Buffer.allocUnsafeSlow(end);
    bytes.copy(this.#bytes, 0, 0, end);
    this.#spans = spans;
  }

  /** Whether these bytes begin with it. Clients send one and the same head over and over. */
  isAtStartOf(bytes: Buffer): boolean {
    const { sizeBytes } = this;
    if (bytes.length < sizeBytes) return false;
    if (bytes.byteOffset === 0 && isReadPart(bytes)) return this.#wasRead();
    return this.#bytes.compare(bytes, 0, sizeBytes) === 0;
  }

  /** Whether it is what was read last. By the word, which is no call out of JavaScript. */
  #wasRead(): boolean {
    const own = this.#bytes;
    this.#words ??= new Int32Array(own.buffer, own.byteOffset, own.length >> 2);
    const words = this.#words;
    for (let place = 0; place < words.length; place += 1) {
      if (words[place] !== READ_WORDS[place]) return false;
    }
    for (let at = words.length * WORD_BYTES; at < own.length; at += 1) {
      if (own[at] !== READ_BUFFER[at]) return false;
    }
    return true;
  }

  /** `name` in lower case; one of those that some part of the gateway looks at. */
  header(name: string): string | undefined {
    const place = PLACES.get(name) ?? ODD_PLACE;
    // Not left to the array: an index of -1 is looked up as a name.
    return place < 0 ? undefined : this.at(place);
  }

  /** The header of that PLACE. */
  at(place: number): string | undefined {
    const end = this.#spans[2 * place + 1] ?? 0;
    if (end === 0) return undefined;
    const begin = this.#spans[2 * place] ?? 0;
    const usual = place === CONTENT_TYPE && end - begin === JSON_TYPE.length;
    if (usual && isAt(this.#bytes, begin, JSON_TYPE)) return "application/json";
    return this.#bytes.toString("latin1", begin, end);
  }
}

type Found = {
  readonly targetEnd: number;
  end: number;
  bodyBytes: number;
  /** Beginning and end of each of KEPT; an end of 0 where it is absent. */
  readonly spans: number[];
};

/**
 * The request that these bytes begin with, where it is plain: POST, HTTP/1.1, one Host, one
 * Content-Length, no header that asks for more. Undefined for all else, also for a head that has
 * not come as a whole: whatever is in doubt is for node:http. RFC 9112, read as narrowly as it can be.
 */
export function readHead(bytes: Buffer): PlainHead | undefined {
  const limit = Math.min(bytes.length, MAX_HEAD_BYTES);
  if (!isAt(bytes, 0, START)) return undefined;
  const targetEnd = endOf(bytes, START.length, IN_TARGET);
  if (!isAt(bytes, targetEnd, VERSION)) return undefined;
  const spans = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  const found: Found = { targetEnd, end: targetEnd + VERSION.length, bodyBytes: -1, spans };
  while (found.end + 1 < limit) {
    if (bytes[found.end] === CR) {
      if (bytes[found.end + 1] !== LINE_END[1]) return undefined;
      found.end += 2;
      const whole = found.bodyBytes >= 0 && spans[2 * HOST + 1] !== 0;
      return whole ? new PlainHead(bytes, found) : undefined;
    }
    if (!readField(bytes, found)) return undefined;
  }
  return undefined;
}

const line: HeaderLine = { nameEnd: 0, valueStart: 0, valueEnd: 0 };

/** One header line; false where it is odd. */
function readField(bytes: Buffer, found: Found): boolean {
  const { end: start, spans } = found;
  if (!findHeaderLine(bytes, start, line)) return false;
  const { nameEnd, valueStart: begin, valueEnd: end } = line;
  if (end > begin && (bytes[begin] === SPACE || bytes[end - 1] === SPACE)) return false;
  found.end = end + LINE_END.length;
  const place = placeOf(bytes, start, nameEnd);
  if (place === NO_PLACE) return true;
  // One that is there twice, too: whose value counts would be a matter of opinion.
  if (place === ODD_PLACE || spans[2 * place + 1] !== 0) return false;
  spans[2 * place] = begin;
  spans[2 * place + 1] = end;
  if (place === CONNECTION) {
    return end - begin === KEEP_ALIVE.length && isNameAt(bytes, begin, KEEP_ALIVE);
  }
  if (place !== CONTENT_LENGTH) return true;
  found.bodyBytes = numberAt(bytes, begin, end);
  return found.bodyBytes >= 0 && found.bodyBytes <= MAX_BODY_BYTES;
}

function placeOf(bytes: Buffer, start: number, end: number): number {
  const names = NAMES[end - start];
  if (names === undefined) return NO_PLACE;
  for (const { name, place } of names) if (isNameAt(bytes, start, name)) return place;
  return NO_PLACE;
}
