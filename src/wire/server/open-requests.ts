import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** The requests that node:http reads and answers, by their connections. It tells nobody about them. */
export class OpenRequests {
  /** In the order in which they came, until they are answered. */
  readonly #owed = new WeakMap<Duplex, ServerResponse[]>();
  readonly #last = new WeakMap<Duplex, IncomingMessage>();

  add(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const owed = this.#owed.get(socket) ?? [];
    this.#owed.set(socket, owed);
    owed.push(response);
    this.#last.set(socket, request);
    response.once("close", () => void owed.splice(owed.indexOf(response), 1));
  }

  /** The answer that is owed next on this connection, or is being given. */
  owedOn(socket: Duplex): ServerResponse | undefined {
    return this.#owed.get(socket)?.[0];
  }

  /** Whether a part of a request has come. */
  isReadingOn(socket: Duplex): boolean {
    return this.#last.get(socket)?.complete === false;
  }
}
