import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { Authenticator } from "../../access/authenticator.ts";
import type { Time } from "../../lib/clock.ts";
import type { MemoryBudget } from "../../lib/memory-budget.ts";
import type { NetworkFeeds } from "../../subscriptions/network-feeds.ts";
import type { TrafficMetrics } from "../../telemetry/metrics.ts";
import type { Doors } from "../../wire/server/doors.ts";
import { endWithAnswer } from "../../wire/server/raw-answer.ts";
import { MAX_BODY_BYTES } from "../../wire/server/request-body.ts";
import { RequestHead } from "../../wire/server/request-head.ts";
import type { SocketReader } from "../../wire/server/socket-reader.ts";
import { PlainFrames } from "../../wire/server/websocket-frames.ts";
import { CLOSE } from "./close-codes.ts";
import type { FrontParts } from "./http-front.ts";
import { lastAnswer } from "./last-answers.ts";
import type { Reading } from "./reception.ts";
import { WebSocketConnection } from "./websocket-connection.ts";
import { WebSocketSubscriber } from "./websocket-subscriber.ts";

export type WebSocketOptions = {
  readonly maxCallsInAir: number;
  readonly maxConnectionsPerKey: number;
};

type Parts = FrontParts & {
  readonly authenticator: Authenticator;
  readonly clock: Time;
  readonly memory: MemoryBudget;
  readonly feeds: Pick<NetworkFeeds, "open">;
  readonly doors: Pick<Doors, "admitFor">;
  /** The reader of an open connection; undefined where it reads itself, as with TLS. */
  readonly readerOf: (socket: Duplex) => SocketReader | undefined;
};

const SWEEP_MS = 5000;
/** A read of so many holds several messages, whose answers leave in one write: a write takes as long as a call. */
const MANY_BYTES = 512;

/** JSON-RPC over WebSocket: refusals are HTTP answers to the upgrade, later ends are close codes. */
export class WebSocketFront {
  #options: WebSocketOptions;
  readonly #parts: Parts;
  readonly #traffic: TrafficMetrics;
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_BODY_BYTES,
  });
  readonly #byKey = new Map<string, Set<WebSocketConnection>>();
  readonly #stopSweeping: () => void;
  #stopping = false;

  constructor(options: WebSocketOptions, parts: Parts) {
    this.#options = options;
    this.#parts = parts;
    this.#stopSweeping = parts.clock.every(SWEEP_MS, () => this.sweep());
    this.#traffic = parts.metrics.traffic("websocket");
    this.#server.on("wsClientError", ({ message }, socket) => {
      parts.metrics.refused("bad_request");
      endWithAnswer(socket, lastAnswer({ name: "bad_request", details: message }), parts.clock);
    });
  }

  /** For the server's `upgrade` event. */
  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // The client may leave while its key is looked up; nobody else listens yet.
    socket.on("error", () => socket.destroy());
    const { ids } = this.#parts;
    const given = request.headers["x-request-id"];
    const requestId = ids.of(typeof given === "string" ? given : undefined);
    const requestHead = new RequestHead("websocket", requestId, request);
    const { moment } = this.#parts.authenticator;
    const address = this.#parts.reception.locate(requestHead);
    const identified =
      "name" in address ? address : await this.#parts.reception.identify(address, requestHead);
    if (socket.destroyed) return;
    // Not before the wait: other upgrades with the same key may have waited for the same look-up.
    const session = this.#limit(identified, requestHead, socket);
    if ("name" in session) {
      this.#parts.metrics.refused(session.name);
      endWithAnswer(socket, { ...lastAnswer(session), requestId }, this.#parts.clock);
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (accepted) => {
      const connection = new WebSocketConnection(
        { socket: accepted, wire: socket },
        { session, maxCallsInAir: this.#options.maxCallsInAir },
        { ...this.#parts, traffic: this.#traffic },
      );
      this.#takePlainFrames(socket, connection);
      session.subscriptions = this.#parts.feeds.open(new WebSocketSubscriber(connection));
      socket.once("close", () => session.subscriptions?.end());
      accepted.on("error", () => undefined);
      accepted.on("close", this.#admit(connection, requestHead, moment));
      this.#moveOn(connection);
      if (this.#stopping) connection.finish(CLOSE.goingAway);
    });
  }

  /** Every connection, now and then; called by a timer, and by tests. */
  sweep(): void {
    for (const connection of this.#connections()) connection.sweep();
  }

  /** For who connects from now on. */
  limit(options: WebSocketOptions): void {
    this.#options = options;
  }

  /** Networks were replaced or removed. Calls in flight end with the network that they began with. */
  moveOn(): void {
    for (const connection of this.#connections()) this.#moveOn(connection);
  }

  #moveOn(connection: WebSocketConnection): void {
    const { session } = connection;
    const network = this.#parts.reception.current(session.network);
    if (network === undefined) connection.finish(CLOSE.networkGone);
    else if (network !== session.network) connection.session = { ...session, network };
  }

  /** Lets calls in the air finish; `terminate` ends what is left. */
  stop(): void {
    this.#stopping = true;
    for (const connection of this.#connections()) connection.finish(CLOSE.goingAway);
  }

  terminate(): void {
    this.#stopSweeping();
    for (const connection of this.#connections()) connection.terminate();
  }

  /** How many are open. */
  get size(): number {
    return this.#connections().length;
  }

  /** How many are open with each key. */
  get sizeByKey(): ReadonlyMap<string, number> {
    return new Map(Array.from(this.#byKey, ([keyId, { size }]) => [keyId, size]));
  }

  #connections(): WebSocketConnection[] {
    return [...this.#byKey.values()].flatMap((connections) => [...connections]);
  }

  #limit(session: Reading, head: RequestHead, socket: Duplex): Reading {
    if ("name" in session) return session;
    const limit = this.#options.maxConnectionsPerKey;
    const open = this.#byKey.get(session.identity.keyId)?.size ?? 0;
    const name = "too_many_connections";
    if (open >= limit) return { name, details: `${limit} WebSockets are open with this key` };
    // Without a proxy the connection was counted when it was opened.
    const owner = this.#parts.reception.ownerBehindProxy(head);
    if (owner === undefined || this.#parts.doors.admitFor(owner, socket)) return session;
    return { name, details: "too many WebSockets are open from this address" };
  }

  /** Counts the connection and watches its key; returns what undoes both. */
  #admit(connection: WebSocketConnection, head: RequestHead, moment: number): () => void {
    const { session } = connection;
    const { keyId } = session.identity;
    const connections = this.#byKey.get(keyId) ?? new Set();
    this.#byKey.set(keyId, connections.add(connection));
    this.#traffic.connections.inc();
    const unwatch = this.#parts.authenticator.watch(session.identity, moment, (now) => {
      if (now === "refused") connection.close(CLOSE.keyEnded);
      else if (now.suspended) connection.close(CLOSE.suspended);
      else if (
        this.#parts.reception.refusedKind(now, connection.session.network, head) !== undefined
      ) {
        connection.close(CLOSE.notAllowed);
      } else connection.session.identity = now;
    });
    return () => {
      unwatch();
      connections.delete(connection);
      if (connections.size === 0) this.#byKey.delete(keyId);
      this.#traffic.connections.dec();
    };
  }

  /** Where the socket has said nothing yet, so that what comes next begins with a frame. */
  #takePlainFrames(socket: Duplex, connection: WebSocketConnection): void {
    const reader = this.#parts.readerOf(socket);
    if (reader === undefined || socket.readableLength > 0) return;
    const frames = new PlainFrames({
      receive: (message) => connection.receive(message),
      pass: reader.pass,
      isCaughtUp: () => socket.readableFlowing === true && socket.readableLength === 0,
      mostBytes: MAX_BODY_BYTES,
      buffers: this.#parts.loop.buffers,
      held: (bytes) => connection.holds(bytes, frames),
    });
    socket.once("close", () => frames.free());
    reader.divert((bytes) => {
      if (bytes.length < MANY_BYTES) {
        frames.take(bytes);
        return;
      }
      socket.cork();
      try {
        frames.take(bytes);
      } finally {
        socket.uncork();
      }
    });
  }
}
