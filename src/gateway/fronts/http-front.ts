import { creditHeaders } from "../../credits/credit-headers.ts";
import type { Ledger } from "../../credits/ledger.ts";
import type { RpcError } from "../../jsonrpc/errors.ts";
import { sizeOf } from "../../lib/bytes.ts";
import type { Metrics, TrafficMetrics } from "../../telemetry/metrics.ts";
import type { EventLoop } from "../../wire/event-loop.ts";
import type { BodyListener, Exchange } from "../../wire/server/exchange.ts";
import { CALL_BYTES, holdPieces } from "../../wire/server/held-pieces.ts";
import { BodyTooLarge, MAX_BODY_BYTES } from "../../wire/server/request-body.ts";
import { type MessageAnswer, refusal } from "../answer.ts";
import { Compression, LEAST_COMPRESSED_BYTES } from "../compression/compression.ts";
import { answerMessage } from "../messages.ts";
import type { Pipeline } from "../pipeline.ts";
import { bodyFields, chainFields, openingFields, preflightFields } from "./answer-fields.ts";
import type { FrontExchange, HeadNotes } from "./front-exchange.ts";
import type { Reading, Reception } from "./reception.ts";
import type { RequestIds } from "./request-ids.ts";

export type FrontParts = {
  readonly reception: Reception;
  readonly pipeline: Pipeline;
  readonly metrics: Metrics;
  readonly ids: RequestIds;
  readonly loop: EventLoop;
  readonly ledger: Pick<Ledger, "balance" | "learn">;
};

/**
 * JSON-RPC over HTTP: one POST, one answer, over whichever wire it came. Order of the checks:
 * docs/decisions.md, "Order of the checks".
 */
export class HttpFront {
  readonly #parts: FrontParts;
  readonly #traffic: TrafficMetrics;
  readonly #compression: Compression;

  constructor(parts: FrontParts) {
    this.#parts = parts;
    this.#compression = new Compression(parts.loop.buffers);
    this.#traffic = parts.metrics.traffic("http");
  }

  /** A request's head is there. Never throws. */
  begin(begun: Exchange): void {
    const exchange = begun as FrontExchange;
    const { ids, reception } = this.#parts;
    let notes = exchange.headNotes;
    if (notes?.edition !== reception.edition) {
      notes = this.#look(exchange);
      exchange.headNotes = notes;
    }
    const { givenId, address } = notes;
    exchange.requestId = ids.of(givenId);
    if (exchange.fault !== undefined) {
      this.#refuse(exchange, { name: "bad_request", details: exchange.fault });
      return;
    }
    if ("name" in address) {
      this.#refuse(exchange, address);
      return;
    }
    if (exchange.method !== "POST" && exchange.method !== "OPTIONS") {
      this.#refuse(exchange, notPost, "Allow: POST, OPTIONS\r\n");
      return;
    }
    const reading = reception.identify(address, exchange);
    if (reading instanceof Promise) void reading.then((known) => this.#receive(exchange, known));
    else this.#receive(exchange, reading);
  }

  #look(exchange: FrontExchange): HeadNotes {
    const { reception } = this.#parts;
    return {
      givenId: exchange.header("x-request-id"),
      address: reception.locate(exchange),
      edition: reception.edition,
      bodyFault: bodyFault(exchange),
    };
  }

  #receive(exchange: FrontExchange, reading: Reading): void {
    exchange.reading = reading;
    if (exchange.method === "OPTIONS") {
      exchange.answer(204, preflightFields(exchange), []);
      return;
    }
    if ("name" in reading) {
      this.#refuse(exchange, reading);
      return;
    }
    const fault = exchange.headNotes?.bodyFault;
    if (fault !== undefined) {
      this.#refuse(exchange, fault);
      return;
    }
    // A refused body is not held either.
    const tooMuch = this.#parts.pipeline.takeMessage(reading, exchange.announcedBytes);
    if (tooMuch !== undefined) {
      exchange.skipBody();
      this.#send(exchange, refusal(tooMuch));
      return;
    }
    exchange.holding.setOwner(reading.identity.accountId);
    exchange.readBody(this.#take);
  }

  readonly #take: BodyListener = (begun, body) => {
    const exchange = begun as FrontExchange;
    const session = exchange.reading;
    if (body instanceof BodyTooLarge || session === undefined || "name" in session) {
      this.#refuse(exchange, tooLarge);
      return;
    }
    this.#traffic.received.inc(body.length);
    const { pipeline, loop } = this.#parts;
    const isTaken = exchange.announcedBytes > 0;
    const { holding } = exchange;
    const parts = { session, pipeline, turns: loop.clientReads, holding, isTaken };
    const inAir = answerMessage(body, parts, (answer) => this.#send(exchange, answer));
    if (inAir > 0) holding.add(inAir * CALL_BYTES);
  };

  #refuse(exchange: FrontExchange, error: RpcError, extra = ""): void {
    this.#parts.metrics.refused(error.name);
    exchange.skipBody();
    this.#send(exchange, refusal(error), extra);
  }

  /** A free answer may come before anybody asked the store how much is left. */
  #send(exchange: FrontExchange, answer: MessageAnswer, extra = ""): void {
    const identity = exchange.reading?.identity;
    if (answer.charged === 0 && identity !== undefined) {
      const later = () => this.#write(exchange, answer, extra);
      if (this.#parts.ledger.learn(identity, later) === "waiting") return;
    }
    this.#write(exchange, answer, extra);
  }

  /** A small answer pays for compression with the comparison alone. */
  #write(exchange: FrontExchange, answer: MessageAnswer, extra: string): void {
    if (sizeOf(answer.pieces) < LEAST_COMPRESSED_BYTES) {
      this.#give(exchange, answer, openingFields(exchange) + extra);
      return;
    }
    const accepted = exchange.header("accept-encoding");
    holdPieces(exchange.holding, answer.pieces);
    this.#compression.encode(answer.pieces, accepted, ({ pieces, coding }) => {
      const encoded = coding === undefined ? "" : `Content-Encoding: ${coding}\r\n`;
      const opening = openingFields(exchange, "Accept-Encoding") + extra + encoded;
      this.#give(exchange, { ...answer, pieces }, opening);
    });
  }

  /** The headers of every answer but a preflight's, in their order. */
  #give(exchange: FrontExchange, answer: MessageAnswer, opening: string): void {
    const identity = exchange.reading?.identity;
    const { status, pieces, retryAfterSeconds, charged } = answer;
    const sizeBytes = sizeOf(pieces);
    this.#traffic.sent.inc(sizeBytes);
    // Neither who sent a wrong key nor who sent none is told of anybody's credits.
    const credits =
      identity === undefined ? "" : creditHeaders(charged, this.#parts.ledger.balance(identity));
    const body = bodyFields(sizeBytes, retryAfterSeconds);
    exchange.answer(status, opening + chainFields(answer) + credits + body, pieces);
  }
}

const notPost: RpcError = { name: "method_not_allowed", details: "send calls by POST" };

const tooLarge: RpcError = {
  name: "payload_too_large",
  details: `a body has at most ${MAX_BODY_BYTES} bytes`,
};

/** 415 and 413, as far as the headers tell. */
function bodyFault(exchange: FrontExchange): RpcError | undefined {
  const type = exchange.header("content-type");
  if (type !== undefined && !isJson(type)) {
    return { name: "unsupported_media_type", details: "send Content-Type: application/json" };
  }
  const coding = exchange.header("content-encoding");
  if (coding !== undefined && coding.trim().toLowerCase() !== "identity") {
    return { name: "unsupported_media_type", details: "send the body without Content-Encoding" };
  }
  return exchange.announcedBytes > MAX_BODY_BYTES ? tooLarge : undefined;
}

const JSON_TYPES: ReadonlySet<string> = new Set(["application/json", "application/json-rpc"]);

function isJson(contentType: string): boolean {
  if (contentType === "application/json") return true;
  const [type = ""] = contentType.split(";", 1);
  return JSON_TYPES.has(type.trim().toLowerCase());
}
