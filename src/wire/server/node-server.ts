import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer, type Server as HttpsServer } from "node:https";
import type { Duplex } from "node:stream";
import type { SystemTimers } from "../../lib/clock.ts";
import type { Exchange } from "./exchange.ts";
import { NodeExchange, type NodeExchangeParts } from "./node-exchange.ts";
import { OpenRequests } from "./open-requests.ts";
import { type ConnectionFault, endWithAnswer, type FaultAnswers } from "./raw-answer.ts";
import { RefusalPauses } from "./refusal-pause.ts";

export const MAX_HEADERS_BYTES = 16_384;

export type ConnectionLimits = {
  /** From the opening of the connection, or the first byte of a later request. */
  readonly headersMs: number;
  /** From the same moment to the last byte of the body. */
  readonly bodyMs: number;
  readonly handshakeMs: number;
  /** A client that takes nothing of its answer for so long is gone. */
  readonly stalledMs: number;
  /** In so long a client has to take what the least rate makes of it. */
  readonly trickleMs: number;
};

export type NodeServerOptions = {
  readonly limits: ConnectionLimits;
  readonly keepAliveMs: number;
  /** PEM. */
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer } | undefined;
};

/** The listeners of a server, and whether it is about to end. */
export type NodeServerParts = {
  readonly begin: (exchange: Exchange) => void;
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  readonly faults: FaultAnswers;
} & Omit<NodeExchangeParts, "pauses" | "requests">;

/**
 * node:http or node:https with the gateway's limits. It parses all of HTTP, and what it cannot take
 * it refuses with the answers that it was given.
 */
export function createNodeServer(
  options: NodeServerOptions,
  { begin, upgrade, faults, ...rest }: NodeServerParts,
): HttpServer | HttpsServer {
  const { limits, tls } = options;
  const requests = new OpenRequests();
  const parts = { ...rest, pauses: new RefusalPauses(rest.loop.clock), requests };
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    requests.add(request, response);
    begin(new NodeExchange(request, response, parts));
  };
  const server =
    tls === undefined
      ? createServer(wireOptions(options), listener)
      : createTlsServer({ ...wireOptions(options), ...tls }, listener);
  // Before the handshake's end there is nobody who could read a refusal.
  if (tls) server.prependListener("tlsClientError", (_error, socket) => socket.destroy());
  server.setTimeout(limits.stalledMs);
  server.on("checkContinue", listener);
  server.on("checkExpectation", listener);
  server.on("connect", (_request, socket) => {
    endWithAnswer(socket, faults.connect, rest.loop.clock);
  });
  server.on("clientError", (error, socket) => {
    refuseBytes(error, socket, { requests, faults, timers: rest.loop.clock });
  });
  server.on("upgrade", upgrade);
  return server;
}

/** The options by the names of node:http. */
function wireOptions({ limits, keepAliveMs }: NodeServerOptions) {
  return {
    maxHeaderSize: MAX_HEADERS_BYTES,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.bodyMs,
    handshakeTimeout: limits.handshakeMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: 500,
    // Checked by the front, which answers with a JSON-RPC error.
    requireHostHeader: false,
    shouldUpgradeCallback: ({ headers }: IncomingMessage) =>
      headers.upgrade?.toLowerCase() === "websocket",
  };
}

/** The errors of node:http for bytes that it could not take as a request. */
const CLIENT_ERRORS: Readonly<Record<string, ConnectionFault>> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "too_slow",
};

function refuseBytes(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  parts: {
    readonly requests: OpenRequests;
    readonly faults: FaultAnswers;
    readonly timers: SystemTimers;
  },
): void {
  const { requests, faults } = parts;
  // Already refused: what else comes is dropped until the connection is closed.
  if (socket.writableEnded) return;
  const answer = requests.owedOn(socket);
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
  } else if (answer?.req.complete === true) {
    // A whole request before these bytes gets its own answer first.
    answer.once("close", () => setImmediate(refuseBytes, error, socket, parts));
  } else if (
    answer?.headersSent === true ||
    (answer === undefined && requests.isReadingOn(socket))
  ) {
    // An answer that has been given can't be followed by another.
    socket.destroy();
  } else {
    endWithAnswer(socket, faults[CLIENT_ERRORS[error.code ?? ""] ?? "no_request"], parts.timers);
  }
}
