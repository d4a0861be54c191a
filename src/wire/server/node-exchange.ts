import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline, Readable } from "node:stream";
import { addressOwner } from "../../lib/address-owner.ts";
import { asBytes, type Piece } from "../../lib/bytes.ts";
import type { Holding, MemoryBudget } from "../../lib/memory-budget.ts";
import type { EventLoop } from "../event-loop.ts";
import { joinPieces } from "./answer-bytes.ts";
import type { BodyListener, Exchange } from "./exchange.ts";
import { holdPieces } from "./held-pieces.ts";
import type { OpenRequests } from "./open-requests.ts";
import type { RefusalPauses } from "./refusal-pause.ts";
import { drain, readBody } from "./request-body.ts";
import { RequestHead } from "./request-head.ts";
import { isStrangers, STRANGER_IDLE_MS } from "./stranger.ts";
import { isUnservedUpgrade } from "./unserved-upgrade.ts";

const WRITE_BYTES = 65_536;

export type NodeExchangeParts = {
  readonly isStopping: () => boolean;
  readonly memory: MemoryBudget;
  readonly loop: EventLoop;
  readonly pauses: RefusalPauses;
  readonly requests: OpenRequests;
};

/** A request that node:http has parsed, and its answer. */
export class NodeExchange extends RequestHead implements Exchange {
  readonly method: string;
  readonly fault: string | undefined;
  headNotes: unknown;
  reading: unknown;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #parts: NodeExchangeParts;
  readonly holding: Holding;
  /** Of the body, so far. */
  #receivedBytes = 0;
  /** The connection ends with this answer. */
  #last = false;

  constructor(request: IncomingMessage, response: ServerResponse, parts: NodeExchangeParts) {
    super("http", "", request);
    this.method = request.method ?? "";
    this.fault = headFault(request);
    this.#request = request;
    this.#last = isUnservedUpgrade(request);
    this.#response = response;
    this.#parts = parts;
    const { socket } = request;
    this.holding = parts.memory.open(addressOwner(socket.remoteAddress), () => socket.destroy());
    response.once("close", () => this.holding.close());
  }

  get announcedBytes(): number {
    return Number(this.#request.headers["content-length"] ?? 0);
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return typeof value === "string" ? value : undefined;
  }

  readBody(done: BodyListener): void {
    if (this.#request.headers.expect !== undefined) this.#response.writeContinue();
    const { holding } = this;
    this.#request.on("data", ({ length }: Buffer) => {
      this.#receivedBytes += length;
      holding.add(length);
    });
    readBody(this.#request, (body) => {
      const goOn = () => done(this, body);
      const bytes = Buffer.isBuffer(body) ? body.length : 0;
      if (!this.#parts.loop.clientReads.defers(goOn, bytes)) goOn();
    });
  }

  skipBody(): void {
    drain(this.#request);
    // Whether the body of "Expect: 100-continue" follows a refusal is the client's choice: nobody
    // could tell it from the next request.
    if (this.#request.headers.expect !== undefined) this.#last = true;
  }

  answer(status: number, fields: string, pieces: readonly Piece[]): void {
    const write = () => this.#write(status, fields, pieces);
    const messageBytes = Math.max(this.announcedBytes, this.#receivedBytes);
    this.#parts.pauses.writeInPace({ status, messageBytes }, this.#request, write);
  }

  /**
   * Pipelined requests run at once: where one of them is still owed its answer, that answer's status
   * decides.
   */
  readonly #shortenIdle = (socket: Socket): void => {
    const isOwed = this.#parts.requests.owedOn(socket) !== undefined;
    if (!isOwed) socket.setTimeout(STRANGER_IDLE_MS);
  };

  #write(status: number, fields: string, pieces: readonly Piece[]): void {
    const response = this.#response;
    const last = this.#last || this.#parts.isStopping();
    response.writeHead(status, asList(last ? `${fields}Connection: close\r\n` : fields));
    const { socket } = this.#request;
    if (isStrangers(status)) {
      // After node:http has set its own time for the next request.
      response.once("finish", () => setImmediate(this.#shortenIdle, socket));
    }
    this.holding.clear();
    holdPieces(this.holding, pieces);
    const joined = joinPieces(pieces);
    if (typeof joined === "string") {
      response.end(joined, "latin1");
      return;
    }
    // The client has left, or others needed the memory.
    if (response.destroyed) return;
    // In small writes, so that it can be seen how fast the client takes them.
    const bytes = Buffer.isBuffer(joined) ? [joined] : joined;
    pipeline(smallWrites(bytes), response, () => undefined);
  }
}

/** The pieces, of which nothing is held once it was read: a generator would hold them as long as itself. */
function smallWrites(pieces: readonly Piece[]): Readable {
  const left = pieces.filter(({ length }) => length > 0).map(asBytes);
  let at = 0;
  return new Readable({
    read() {
      const [piece] = left;
      if (piece === undefined) {
        this.push(null);
        return;
      }
      const from = at;
      at += WRITE_BYTES;
      if (at >= piece.length) {
        left.shift();
        at = 0;
      }
      this.push(piece.subarray(from, from + WRITE_BYTES));
    },
  });
}

/** Header lines as `writeHead` takes them: names and values in turn. */
function asList(fields: string): string[] {
  const list: string[] = [];
  for (const line of fields.split("\r\n")) {
    if (line === "") continue;
    const colon = line.indexOf(": ");
    list.push(line.slice(0, colon), line.slice(colon + 2));
  }
  return list;
}

/** A fault that RFC 9112 forbids and node:http lets pass. */
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
