import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { SystemTimers } from "../../lib/clock.ts";

/** Closing with bytes unread resets the connection, and the client might never see the answer. */
const LINGER_MS = 1000;

/** A JSON answer after which the connection ends. */
export type LastAnswer = {
  readonly status: number;
  readonly body: string;
  readonly retryAfterSeconds?: number | undefined;
};

/** Why a connection ends before its request can be answered by the front. */
export type ConnectionFault =
  | "no_request"
  | "too_slow"
  | "headers_too_large"
  | "connect"
  | "memory_exhausted";

/** The server does not know what its answers look like: whoever opens it says so. */
export type FaultAnswers = Readonly<Record<ConnectionFault, LastAnswer>>;

/**
 * Writes an answer where there is no ServerResponse: before a request could be parsed, or at a
 * WebSocket upgrade. Ends the connection, at the latest after a second.
 */
export function endWithAnswer(
  socket: Duplex,
  answer: LastAnswer & { readonly requestId?: string },
  timers: Pick<SystemTimers, "after">,
): void {
  const { status, body, retryAfterSeconds, requestId } = answer;
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
  socket.once(
    "close",
    timers.after(LINGER_MS, () => socket.destroy()),
  );
}
