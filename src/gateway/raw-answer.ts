import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { RpcError } from "../jsonrpc/errors.ts";
import { refusal } from "./answer.ts";

/** Closing with bytes unread resets the connection, and the client might never see the answer. */
const LINGER_MS = 1000;

export const TOO_SLOW: RpcError = Object.freeze({
  name: "request_timeout",
  details: "send the headers and the body of a request without long pauses",
});

export const TOO_MUCH: RpcError = Object.freeze({ name: "memory_exhausted" });

export const NO_REQUEST: RpcError = Object.freeze({ name: "bad_request" });

/**
 * Writes a refusal where there is no ServerResponse: before a request could be parsed, or at a
 * WebSocket upgrade. Ends the connection, at the latest after a second.
 */
export function endWithRefusal(socket: Duplex, error: RpcError, requestId?: string): void {
  const { status, pieces, retryAfterSeconds } = refusal(error);
  const body = pieces.join("");
  const headers = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Connection: close",
    "Content-Type: application/json",
    "Access-Control-Allow-Origin: *",
    `Content-Length: ${body.length}`,
  ];
  if (requestId !== undefined) headers.push(`X-Request-Id: ${requestId}`);
  if (retryAfterSeconds !== undefined) headers.push(`Retry-After: ${retryAfterSeconds}`);
  // node:http no longer listens to a socket that it has handed over.
  socket.on("error", () => socket.destroy());
  socket.end(`${headers.join("\r\n")}\r\n\r\n${body}`, "latin1");
  socket.resume();
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(linger));
}
