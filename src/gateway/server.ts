import { createServer, type Server as HttpServer, type ServerOptions } from "node:http";
import { createServer as createTlsServer, type Server as HttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
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
};

type Parts = FrontParts & {
  readonly authenticator: Authenticator;
  readonly clock: Clock;
  readonly log: Logger;
};

/** design.md, "order of the checks": headers over 16 KiB, or later than 10 s; a body than 30 s. */
const LIMITS: ServerOptions & { handshakeTimeout: number } = {
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 500,
  handshakeTimeout: 10_000,
  // Checked by the front, which answers with a JSON-RPC error.
  requireHostHeader: false,
  shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === "websocket",
};
/** A client that takes nothing of its answer for so long is gone. Longer than any call. */
const STALLED_MS = 120_000;

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
  readonly #unfollow: () => void = () => undefined;

  constructor(options: GatewayServerOptions, parts: Parts) {
    this.#options = options;
    this.#http = new HttpFront(parts);
    this.#websocket = new WebSocketFront(options.websocket, parts);
    const limits = { ...LIMITS, keepAliveTimeout: options.keepAliveMs };
    if (options.tls === undefined) {
      this.#server = createServer(limits, this.#http.listener);
    } else {
      const server = createTlsServer(
        { ...limits, ...readCertificates(options.tls) },
        this.#http.listener,
      );
      this.#unfollow = followCertificates(server, options.tls, parts.log);
      this.#server = server;
    }
    this.#server.setTimeout(STALLED_MS);
    const { connections } = parts.metrics.traffic("http");
    this.#server.on("connection", (socket: Duplex) => {
      connections.inc();
      socket.once("close", () => connections.dec());
    });
    this.#server.on("checkContinue", this.#http.listener);
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
    const bound = setTimeout(() => {
      this.#websocket.terminate();
      this.#server.closeAllConnections();
    }, this.#options.shutdownTimeoutMs);
    await closed;
    clearTimeout(bound);
    this.#websocket.terminate();
  }
}

function refuseBytes(error: NodeJS.ErrnoException, socket: Duplex): void {
  // An answer that has begun can't be followed by another.
  const begun = (socket as { _httpMessage?: { headersSent: boolean } | null })._httpMessage;
  if (!socket.writable || error.code === "ECONNRESET" || begun?.headersSent === true) {
    socket.destroy();
    return;
  }
  endWithRefusal(socket, { name: CLIENT_ERRORS[error.code ?? ""] ?? "bad_request" });
}
