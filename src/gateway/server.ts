import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer, type Server as HttpsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Authenticator } from "../access/authenticator.ts";
import type { ErrorName } from "../jsonrpc/errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../telemetry/log.ts";
import { followCertificates, readCertificates, type TlsFiles } from "./certificates.ts";
import { type FrontParts, HttpFront } from "./http-front.ts";
import { endWithRefusal } from "./raw-answer.ts";
import { WebSocketFront, type WebSocketOptions } from "./websocket-front.ts";

export type GatewayServerOptions = {
  readonly host: string;
  readonly port: number;
  readonly tls?: TlsFiles | undefined;
  readonly keepAliveMs: number;
  readonly shutdownTimeoutMs: number;
  readonly websocket: WebSocketOptions;
  /** CONNECTION_LIMITS where absent. */
  readonly limits?: ConnectionLimits | undefined;
};

export type ConnectionLimits = {
  /** From the opening of the connection, or the first byte of a later request. */
  readonly headersMs: number;
  /** From the same moment to the last byte of the body. */
  readonly bodyMs: number;
  readonly handshakeMs: number;
  /** A client that takes nothing of its answer for so long is gone. */
  readonly stalledMs: number;
};

/** design.md, "order of the checks" and "odd requests"; stalledMs is longer than any call. */
export const CONNECTION_LIMITS: ConnectionLimits = Object.freeze({
  headersMs: 10_000,
  bodyMs: 30_000,
  handshakeMs: 10_000,
  stalledMs: 120_000,
});

type Parts = FrontParts & {
  readonly authenticator: Authenticator;
  readonly clock: Clock;
  readonly log: Logger;
};

/** What node:http calls them. */
function serverOptions(limits: ConnectionLimits, keepAliveMs: number) {
  return {
    maxHeaderSize: 16_384,
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

/** What node:http says of bytes that it could not take as a request. */
const CLIENT_ERRORS: Readonly<Record<string, ErrorName>> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

/** The public port: HTTP and WebSocket on one address, TLS where it is set. */
export class GatewayServer {
  readonly #options: GatewayServerOptions;
  readonly #http: HttpFront;
  readonly #websocket: WebSocketFront;
  readonly #server: HttpServer | HttpsServer;
  /** With TLS the connections twice: as they came, and as what their handshake made of them. */
  readonly #sockets = new Set<Socket>();
  readonly #unfollow: () => void = () => undefined;

  constructor(options: GatewayServerOptions, parts: Parts) {
    this.#options = options;
    this.#http = new HttpFront(parts);
    this.#websocket = new WebSocketFront(options.websocket, parts);
    const limits = options.limits ?? CONNECTION_LIMITS;
    const wire = serverOptions(limits, options.keepAliveMs);
    if (options.tls === undefined) {
      this.#server = createServer(wire, this.#http.listener);
    } else {
      const server = createTlsServer(
        { ...wire, ...readCertificates(options.tls) },
        this.#http.listener,
      );
      // Before the handshake's end there is nobody who could read a refusal.
      server.prependListener("tlsClientError", (_error, socket) => socket.destroy());
      server.on("secureConnection", (socket) => this.#keep(socket));
      this.#unfollow = followCertificates(server, options.tls, parts.log);
      this.#server = server;
    }
    this.#server.setTimeout(limits.stalledMs);
    const { connections } = parts.metrics.traffic("http");
    this.#server.on("connection", (socket: Socket) => {
      this.#keep(socket);
      connections.inc();
      socket.once("close", () => connections.dec());
    });
    this.#server.on("checkContinue", this.#http.listener);
    this.#server.on("checkExpectation", this.#http.listener);
    this.#server.on("connect", (_request, socket) => {
      endWithRefusal(socket, { name: "method_not_allowed", details: "send calls by POST" });
    });
    this.#server.on("clientError", refuseBytes);
    this.#server.on("upgrade", (request, socket, head) => {
      if ("setTimeout" in socket) request.socket.setTimeout(0);
      void this.#websocket.upgrade(request, socket, head);
    });
  }

  /** Opens the port; resolves to the one that was taken. @throws where it cannot be opened */
  async listen(): Promise<number> {
    const { host, port } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, () => {
        this.#server.off("error", reject);
        resolve();
      });
    });
    return (this.#server.address() as AddressInfo).port;
  }

  /** Takes no more calls, lets those in the air finish, and ends the rest after a bounded time. */
  async stop(): Promise<void> {
    this.#http.stopping = true;
    this.#unfollow();
    this.#websocket.stop();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    // node:http takes a connection on which nothing was said yet for a busy one.
    this.#end((socket) => socket.bytesRead === 0);
    const bound = setTimeout(() => {
      this.#websocket.terminate();
      this.#end(() => true);
    }, this.#options.shutdownTimeoutMs);
    await closed;
    clearTimeout(bound);
    this.#websocket.terminate();
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }

  #end(which: (socket: Socket) => boolean): void {
    for (const socket of this.#sockets) if (which(socket)) socket.destroy();
  }
}

/** What node:http keeps on a socket: the answer that is being given, the request being read. */
type HttpSocket = Duplex & {
  readonly _httpMessage?: ServerResponse | null;
  readonly parser?: { readonly incoming?: IncomingMessage | null } | null;
};

function refuseBytes(error: NodeJS.ErrnoException, socket: HttpSocket): void {
  // Already refused: what else comes is dropped until the connection is closed.
  if (socket.writableEnded) return;
  const answer = socket._httpMessage;
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
  } else if (answer?.req.complete === true) {
    // A whole request before these bytes gets its own answer first.
    answer.once("close", () => setImmediate(refuseBytes, error, socket));
  } else if (answer?.headersSent === true || (!answer && isReading(socket))) {
    // An answer that has been given can't be followed by another.
    socket.destroy();
  } else {
    endWithRefusal(socket, { name: CLIENT_ERRORS[error.code ?? ""] ?? "bad_request" });
  }
}

function isReading({ parser }: HttpSocket): boolean {
  return parser?.incoming?.complete === false;
}
