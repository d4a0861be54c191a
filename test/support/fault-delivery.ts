import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { type Fault, GARBAGE, PAGE } from "./faults.ts";

const JSON_TYPE = { "content-type": "application/json" };
const CLOSE_INTERNAL_ERROR = 1011;

/** What the node says where it is not asked at all; undefined where it is. */
export function isRefusal(fault: Fault): boolean {
  return fault.kind === "status" || fault.kind === "unavailable-page";
}

/** A JSON-RPC error, as nodes and services send it with 429 and 500. */
export function refusalText(fault: Fault, id: unknown): string {
  const error =
    fault.kind === "status" && fault.status === 429
      ? { code: -32_005, message: "daily request count exceeded, request rate limited" }
      : { code: -32_603, message: "Internal error" };
  return JSON.stringify({ jsonrpc: "2.0", id: id ?? null, error });
}

/** Sends `text`, the right answer or a refusal, in the way of the fault. */
export function deliverHttp(response: ServerResponse, text: Buffer, fault: Fault): void {
  switch (fault.kind) {
    case "latency":
      setTimeout(() => endWith(response, 200, text), fault.ms);
      return;
    case "reset":
      resetAnswer(response, text, fault.when);
      return;
    case "garbage":
      response.writeHead(200, { "content-type": "text/html" }).end(GARBAGE);
      return;
    case "truncated":
      truncate(response, text, fault.by);
      return;
    case "status": {
      const { retryAfter } = fault;
      const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
      response.writeHead(fault.status, { ...JSON_TYPE, ...headers }).end(text);
      return;
    }
    case "unavailable-page":
      response.writeHead(503, { "content-type": "text/html" }).end(PAGE);
      return;
    case "drip":
      response.writeHead(200, { ...JSON_TYPE, "content-length": text.length }).flushHeaders();
      drip(text, fault.everyMs, (byte) => !response.destroyed && response.write(byte));
      return;
    default:
      endWith(response, 200, text);
  }
}

export function endWith(response: ServerResponse, status: number, text: Buffer): void {
  response.writeHead(status, { ...JSON_TYPE, "content-length": text.length }).end(text);
}

function resetAnswer(response: ServerResponse, text: Buffer, when: string): void {
  const { socket } = response;
  if (when === "before headers") {
    socket?.resetAndDestroy();
    return;
  }
  response.writeHead(200, { ...JSON_TYPE, "content-length": text.length });
  response.write(text.subarray(0, text.length / 2), () => socket?.resetAndDestroy());
}

function truncate(response: ServerResponse, text: Buffer, by: "length" | "chunks"): void {
  const { socket } = response;
  const half = text.subarray(0, text.length / 2);
  const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
  if (by === "length") socket?.write(`${head}Content-Length: ${text.length}\r\n\r\n`);
  else socket?.write(`${head}Transfer-Encoding: chunked\r\n\r\n${text.length.toString(16)}\r\n`);
  socket?.end(half);
}

/** Ends by itself once `write` has had every byte, or refuses one by `false` and is closed. */
function drip(text: Buffer, everyMs: number, write: (byte: Buffer) => boolean): void {
  let sent = 0;
  const timer = setInterval(() => {
    if (sent >= text.length || !write(text.subarray(sent, sent + 1))) clearInterval(timer);
    sent += 1;
  }, everyMs);
}

/** One WebSocket connection: `raw` is what lies below `socket`. */
export type Link = { readonly socket: WebSocket; readonly raw: Socket };

/** The same over WebSocket, where a fault of HTTP is what comes closest to it. */
export function deliverMessage({ socket, raw }: Link, text: Buffer, fault: Fault): void {
  switch (fault.kind) {
    case "latency":
      setTimeout(() => send(socket, text), fault.ms);
      return;
    case "reset":
      if (fault.when === "after headers") raw.write(frameOf(text).subarray(0, 8));
      raw.resetAndDestroy();
      return;
    case "garbage":
      send(socket, Buffer.from(GARBAGE));
      return;
    case "truncated":
      // A whole message of half of the text, or half of the message's frame.
      if (fault.by === "chunks") raw.end(frameOf(text).subarray(0, text.length / 2));
      else send(socket, text.subarray(0, text.length / 2));
      return;
    case "unavailable-page":
      socket.close(CLOSE_INTERNAL_ERROR);
      return;
    case "drip":
      dripFrame(raw, frameOf(text), fault.everyMs);
      return;
    default:
      send(socket, text);
  }
}

function send(socket: WebSocket, text: Buffer): void {
  if (socket.readyState === socket.OPEN) socket.send(text, { binary: false });
}

/** RFC 6455, section 5.2: a final text frame of a server. */
function frameOf(text: Buffer): Buffer {
  const head = text.length < 126 ? Buffer.alloc(2) : Buffer.alloc(4);
  head[0] = 0x81;
  head[1] = Math.min(text.length, 126);
  if (head.length === 4) head.writeUInt16BE(Math.min(text.length, 65_535), 2);
  return Buffer.concat([head, text]);
}

const dripping = new WeakMap<Socket, { left: Buffer }>();
/** Frames follow each other on a connection: a second one waits for the end of the first. */
function dripFrame(raw: Socket, frame: Buffer, everyMs: number): void {
  const queue = dripping.get(raw);
  if (queue !== undefined) {
    queue.left = Buffer.concat([queue.left, frame]);
    return;
  }
  const own = { left: frame };
  dripping.set(raw, own);
  const timer = setInterval(() => {
    if (!raw.destroyed && own.left.length > 0) {
      raw.write(own.left.subarray(0, 1));
      own.left = own.left.subarray(1);
      return;
    }
    clearInterval(timer);
    dripping.delete(raw);
  }, everyMs);
}
