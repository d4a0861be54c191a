import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { corsOrigin } from "../access/allow-lists.ts";
import type { Identity } from "../access/authenticator.ts";
import { CREDIT_HEADERS, creditHeaders } from "../credits/credit-headers.ts";
import type { Ledger } from "../credits/ledger.ts";
import type { RpcError } from "../jsonrpc/errors.ts";
import { asBytes, type Piece, sizeOf } from "../lib/bytes.ts";
import type { Metrics, TrafficMetrics } from "../telemetry/metrics.ts";
import { type MessageAnswer, refusal } from "./answer.ts";
import { answerMessage } from "./messages.ts";
import type { Pipeline } from "./pipeline.ts";
import type { Reading, Reception } from "./reception.ts";
import { BodyTooLarge, drain, MAX_BODY_BYTES, readBody } from "./request-body.ts";
import { RequestHead } from "./request-head.ts";
import type { RequestIds } from "./request-ids.ts";

export type FrontParts = {
  readonly reception: Reception;
  readonly pipeline: Pipeline;
  readonly metrics: Metrics;
  readonly ids: RequestIds;
  readonly ledger: Pick<Ledger, "balance" | "learn">;
};

/** Joined into one string and one write up to here; beyond, copying costs more than it saves. */
const ONE_WRITE_BYTES = 16_384;
/** Of pieces that are smaller on average (a rewritten pending block) one buffer is made. */
const SMALL_PIECE_BYTES = 2048;

const EXPOSED = [
  ...["X-Request-Id", "Retry-After", "X-Served-By", "X-Block"],
  ...CREDIT_HEADERS,
].join(", ");

/** JSON-RPC over HTTP: one POST, one answer. Order of the checks: design.md, "order of the checks". */
export class HttpFront {
  readonly #parts: FrontParts;
  readonly #traffic: TrafficMetrics;
  /** While the server stops, each answer is the last of its connection. */
  stopping = false;

  constructor(parts: FrontParts) {
    this.#parts = parts;
    this.#traffic = parts.metrics.traffic("http");
  }

  /** For node:http and node:https alike. */
  readonly listener: RequestListener = (request, response) => {
    const requestId = this.#parts.ids.of(header(request, "x-request-id"));
    const head = new RequestHead("http", requestId, request);
    const exchange: Exchange = { request, response, head };
    const fault = headFault(request);
    if (fault !== undefined) {
      this.#refuse(exchange, { name: "bad_request", details: fault });
      return;
    }
    const address = this.#parts.reception.locate(head);
    if ("name" in address) {
      this.#refuse(exchange, address);
      return;
    }
    if (request.method !== "POST" && request.method !== "OPTIONS") {
      this.#refuse(exchange, notPost, ["Allow", "POST, OPTIONS"]);
      return;
    }
    const reading = this.#parts.reception.identify(address, head);
    if (reading instanceof Promise) void reading.then((known) => this.#receive(exchange, known));
    else this.#receive(exchange, reading);
  };

  #receive(exchange: Exchange, reading: Reading): void {
    const { request, response } = exchange;
    exchange.identity = reading.identity;
    if (request.method === "OPTIONS") {
      preflight(exchange);
      return;
    }
    if ("name" in reading) {
      this.#refuse(exchange, reading);
      return;
    }
    const fault = bodyFault(request);
    if (fault !== undefined) {
      this.#refuse(exchange, fault);
      return;
    }
    if (request.headers.expect !== undefined) response.writeContinue();
    readBody(request, (body) => {
      if (body instanceof BodyTooLarge) {
        this.#refuse(exchange, tooLarge);
        return;
      }
      this.#traffic.received.inc(body.length);
      const parts = { session: reading, pipeline: this.#parts.pipeline };
      answerMessage(body, parts, (answer) => this.#send(exchange, answer));
    });
  }

  #refuse(exchange: Exchange, error: RpcError, extra: readonly string[] = []): void {
    this.#parts.metrics.refused(error.name);
    drain(exchange.request);
    // Whether the body of "Expect: 100-continue" follows a refusal is the client's choice: nobody
    // could tell it from the next request.
    const ends = exchange.request.headers.expect === undefined ? [] : ["Connection", "close"];
    this.#send(exchange, refusal(error), [...ends, ...extra]);
  }

  /** What is free may come before anybody asked the store how much is left. */
  #send(exchange: Exchange, answer: MessageAnswer, extra?: readonly string[]): void {
    const { identity } = exchange;
    if (answer.charged === 0 && identity !== undefined) {
      const later = () => this.#write(exchange, answer, extra);
      if (this.#parts.ledger.learn(identity, later) === "waiting") return;
    }
    this.#write(exchange, answer, extra);
  }

  #write(exchange: Exchange, answer: MessageAnswer, extra?: readonly string[]): void {
    const { response, head, identity } = exchange;
    const { status, pieces, retryAfterSeconds, charged } = answer;
    const sizeBytes = sizeOf(pieces);
    this.#traffic.sent.inc(sizeBytes);
    const headers = ["X-Request-Id", head.requestId, "Access-Control-Expose-Headers", EXPOSED];
    pushCors(headers, exchange);
    // Neither who sent a wrong key nor who sent none is told of anybody's credits.
    if (identity !== undefined) {
      headers.push(...creditHeaders(charged, this.#parts.ledger.balance(identity)));
    }
    if (extra !== undefined) headers.push(...extra);
    if (pieces.length > 0) {
      headers.push("Content-Type", "application/json", "Content-Length", String(sizeBytes));
    }
    if (retryAfterSeconds !== undefined) headers.push("Retry-After", String(retryAfterSeconds));
    if (this.stopping) headers.push("Connection", "close");
    response.writeHead(status, headers);
    writePieces(response, pieces, sizeBytes);
  }
}

type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly head: RequestHead;
  /** Known once the key is. */
  identity?: Identity | undefined;
};

const notPost: RpcError = { name: "method_not_allowed", details: "send calls by POST" };

const tooLarge: RpcError = {
  name: "payload_too_large",
  details: `a body has at most ${MAX_BODY_BYTES} bytes`,
};

/** What RFC 9112 forbids and node:http lets pass. */
function headFault({ httpVersionMajor, httpVersionMinor, rawHeaders }: IncomingMessage) {
  if (httpVersionMajor !== 1) return "only HTTP/1.1 and HTTP/1.0 are spoken here";
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  if (hosts > 1) return "more than one Host header";
  return hosts === 0 && httpVersionMinor === 1 ? "no Host header" : undefined;
}

/** 415 and 413, as far as the headers tell. */
function bodyFault({ headers }: IncomingMessage): RpcError | undefined {
  const type = headers["content-type"];
  if (type !== undefined && !isJson(type)) {
    return { name: "unsupported_media_type", details: "send Content-Type: application/json" };
  }
  if (headers["content-encoding"] !== undefined) {
    return { name: "unsupported_media_type", details: "send the body without Content-Encoding" };
  }
  return Number(headers["content-length"]) > MAX_BODY_BYTES ? tooLarge : undefined;
}

function isJson(contentType: string): boolean {
  if (contentType === "application/json") return true;
  const [type = ""] = contentType.split(";", 1);
  return type.trim().toLowerCase() === "application/json";
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === "string" ? value : undefined;
}

function preflight(exchange: Exchange): void {
  const { request, response, head } = exchange;
  const wanted = header(request, "access-control-request-headers") ?? "content-type";
  const headers = ["X-Request-Id", head.requestId, "Access-Control-Allow-Methods", "POST, OPTIONS"];
  headers.push("Access-Control-Allow-Headers", wanted, "Access-Control-Max-Age", "86400");
  pushCors(headers, exchange, "Access-Control-Request-Headers");
  response.writeHead(204, headers);
  response.end();
}

/** Any origin, or those of the key's allow-list; then an answer is for the one that asked. */
function pushCors(headers: string[], { head, identity }: Exchange, vary?: string): void {
  const allowed = identity?.allow === undefined ? "*" : corsOrigin(identity.allow, head.origin);
  if (allowed !== undefined) headers.push("Access-Control-Allow-Origin", allowed);
  const varies = allowed === "*" ? vary : ["Origin", vary].filter(Boolean).join(", ");
  if (varies !== undefined) headers.push("Vary", varies);
}

function writePieces(response: ServerResponse, pieces: readonly Piece[], sizeBytes: number): void {
  const [only] = pieces;
  if (only === undefined) response.end();
  else if (typeof only === "string" && pieces.length === 1) response.end(only, "latin1");
  else if (sizeBytes <= ONE_WRITE_BYTES) response.end(pieces.map(asText).join(""), "latin1");
  else if (sizeBytes / pieces.length < SMALL_PIECE_BYTES)
    response.end(Buffer.concat(pieces.map(asBytes)));
  else {
    for (const piece of pieces) response.write(piece, "latin1");
    response.end();
  }
}

function asText(piece: Piece): string {
  return typeof piece === "string" ? piece : piece.toString("latin1");
}
