import type { IncomingMessage } from "node:http";
import type { Transport } from "./address.ts";

/** What arrives before a body, read as far as a stage asks for it. */
export class RequestHead {
  readonly transport: Transport;
  readonly requestId: string;
  readonly #request: IncomingMessage;

  constructor(transport: Transport, requestId: string, request: IncomingMessage) {
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

  /** The other end of the connection: the client, or a proxy before it. */
  get peer(): string {
    return this.#request.socket.remoteAddress ?? "";
  }

  get forwardedFor(): string | undefined {
    const given = this.#request.headers["x-forwarded-for"];
    return Array.isArray(given) ? given.join(",") : given;
  }
}
