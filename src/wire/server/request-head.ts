import type { IncomingMessage } from "node:http";

export type ClientTransport = "http" | "websocket";

/** The part of a request before its body, which says who asks for what, whichever wire brought it. */
export type Head = {
  readonly transport: ClientTransport;
  readonly requestId: string;
  readonly target: string;
  readonly host: string;
  readonly origin: string | undefined;
  readonly agent: string | undefined;
  /** The other end of the connection: the client, or a proxy before it. */
  readonly peer: string;
  readonly forwardedFor: string | undefined;
  /** X-Min-Block, as the client sent it. */
  readonly minBlock: string | undefined;
  /** traceparent, likewise. */
  readonly traceparent: string | undefined;
};

/** The head of a request that node:http has parsed, read as far as a stage asks for it. */
export class RequestHead implements Head {
  readonly transport: ClientTransport;
  requestId: string;
  readonly #request: IncomingMessage;

  constructor(transport: ClientTransport, requestId: string, request: IncomingMessage) {
    this.transport = transport;
    this.requestId = requestId;
    this.#request = request;
  }

  get target(): string {
    return this.#request.url ?? "/";
  }

  get host(): string {
    return this.#request.headers.host ?? "";
  }

  get origin(): string | undefined {
    return this.#request.headers.origin;
  }

  get agent(): string | undefined {
    return this.#request.headers["user-agent"];
  }

  get peer(): string {
    return this.#request.socket.remoteAddress ?? "";
  }

  get forwardedFor(): string | undefined {
    const given = this.#request.headers["x-forwarded-for"];
    return Array.isArray(given) ? given.join(",") : given;
  }

  get traceparent(): string | undefined {
    const given = this.#request.headers["traceparent"];
    return typeof given === "string" ? given : undefined;
  }

  get minBlock(): string | undefined {
    const given = this.#request.headers["x-min-block"];
    return Array.isArray(given) ? given.join(",") : given;
  }
}
