import type { Identity } from "../../access/identity.ts";
import type { Piece } from "../../lib/bytes.ts";
import type { Ending, Subscriber } from "../../subscriptions/subscription.ts";
import { behind, CLOSE } from "./close-codes.ts";
import type { WebSocketConnection } from "./websocket-connection.ts";

/** A WebSocket as its subscriptions know it. */
export class WebSocketSubscriber implements Subscriber {
  readonly #connection: WebSocketConnection;

  constructor(connection: WebSocketConnection) {
    this.#connection = connection;
  }

  get network(): Subscriber["network"] {
    return this.#connection.session.network;
  }

  get identity(): Identity {
    return this.#connection.session.identity;
  }

  get isFull(): boolean {
    return this.#connection.isFull;
  }

  send(pieces: readonly Piece[]): void {
    this.#connection.send(pieces);
  }

  close(ending: Ending): void {
    if (ending.kind === "behind") this.#connection.close(behind(ending.cursor));
    else
      this.#connection.finish(ending.kind === "credits" ? CLOSE.creditsGone : CLOSE.keyCreditsGone);
    this.#connection.session.subscriptions?.end();
  }
}
