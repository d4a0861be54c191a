import type { Server as HttpServer } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Authenticator } from "../../access/authenticator.ts";
import type { Time } from "../../lib/clock.ts";
import type { MemoryBudget } from "../../lib/memory-budget.ts";
import type { NetworkFeeds } from "../../subscriptions/network-feeds.ts";
import type { Logger } from "../../telemetry/log.ts";
import { type DoorLimits, type DoorOptions, Doors } from "../../wire/server/doors.ts";
import { type ConnectionLimits, createNodeServer } from "../../wire/server/node-server.ts";
import { PacedSocket } from "../../wire/server/paced-socket.ts";
import { PlainWire } from "../../wire/server/plain-wire.ts";
import { SlowReaders } from "../../wire/server/slow-readers.ts";
import { followCertificates, readCertificates, type TlsFiles } from "./certificates.ts";
import { type FrontParts, HttpFront } from "./http-front.ts";
import { FAULT_ANSWERS } from "./last-answers.ts";
import { WebSocketFront, type WebSocketOptions } from "./websocket-front.ts";

export type { ConnectionLimits };

export type GatewayServerOptions = {
  readonly host: string;
  readonly port: number;
  readonly tls?: TlsFiles | undefined;
  readonly keepAliveMs: number;
  readonly shutdownTimeoutMs: number;
  readonly maxConnections?: number | undefined;
  readonly maxConnectionsPerAddress?: number | undefined;
  readonly websocket: WebSocketOptions;
  /** CONNECTION_LIMITS where absent. */
  readonly limits?: ConnectionLimits | undefined;
};

/** The options that a server that runs can change. */
export type ServerLimits = Pick<GatewayServerOptions, "tls" | "websocket"> & DoorLimits;

/** docs/decisions.md, "Order of the checks"; stalledMs is longer than any call. */
export const CONNECTION_LIMITS: ConnectionLimits = Object.freeze({
  headersMs: 10_000,
  bodyMs: 30_000,
  handshakeMs: 10_000,
  stalledMs: 120_000,
  trickleMs: 20_000,
});

/** How often slow readers are looked for. */
const SLOW_LOOK_MS = 2000;

/** As node:http: a client that counts to the same end does not meet a closing connection. */
const KEEP_ALIVE_GRACE_MS = 1000;

type Parts = FrontParts & {
  readonly authenticator: Authenticator;
  readonly clock: Time;
  readonly log: Logger;
  readonly memory: MemoryBudget;
  readonly feeds: Pick<NetworkFeeds, "open">;
  readonly doors: Pick<DoorOptions, "reserved" | "isShared">;
};

/** The public port: HTTP and WebSocket on one address, TLS where it is set. */
export class GatewayServer {
  readonly #options: GatewayServerOptions;
  readonly #websocket: WebSocketFront;
  readonly #server: HttpServer | HttpsServer;
  /** Absent where node:http serves everything. */
  readonly #plain: PlainWire | undefined;
  /** With TLS the connections twice: as they came, and as what their handshake made of them. */
  readonly #sockets = new Set<Socket>();
  readonly #stopLooking: () => void;
  readonly #clock: Time;
  readonly #doors: Doors;
  readonly #log: Logger;
  #certificates: ReturnType<typeof followCertificates> | undefined;
  #stopping = false;

  constructor(options: GatewayServerOptions, parts: Parts) {
    this.#options = options;
    this.#clock = parts.clock;
    const { tls, keepAliveMs, limits = CONNECTION_LIMITS } = options;
    const http = new HttpFront(parts);
    const doors = this.#openDoors(parts);
    this.#doors = doors;
    this.#log = parts.log;
    const websocket = new WebSocketFront(options.websocket, {
      ...parts,
      doors,
      readerOf: (socket) => this.#plain?.readerOf(socket),
    });
    const begin = http.begin.bind(http);
    const isPlain = parts.loop.wire === "plain";
    const paced = (socket: Duplex) => (isPlain ? socket : new PacedSocket(socket as Socket));
    const server = createNodeServer(
      { limits, keepAliveMs, tls: tls && readCertificates(tls) },
      {
        begin,
        faults: FAULT_ANSWERS,
        isStopping: () => this.#stopping,
        memory: parts.memory,
        loop: parts.loop,
        upgrade: (request, socket, head) => {
          if ("setTimeout" in socket) request.socket.setTimeout(0);
          void websocket.upgrade(request, paced(socket), head);
        },
      },
    );
    const idleMs = keepAliveMs > 0 ? keepAliveMs + KEEP_ALIVE_GRACE_MS : 0;
    const wire = { limits: { ...limits, idleMs }, keepAliveMs };
    const opened = (socket: Socket) => this.#keep(socket);
    const slow = { windowMs: limits.trickleMs, clock: parts.clock, inside: parts.loop.inside };
    const readers = new SlowReaders(this.#sockets, slow);
    this.#stopLooking = parts.clock.every(SLOW_LOOK_MS, () => readers.look());
    if (isPlain) {
      this.#plain = new PlainWire(server, wire, {
        begin,
        opened,
        clock: parts.clock,
        memory: parts.memory,
        loop: parts.loop,
        faults: FAULT_ANSWERS,
      });
    } else server.on(tls === undefined ? "connection" : "secureConnection", opened);
    this.#websocket = websocket;
    this.#server = server;
    if (tls !== undefined && "setSecureContext" in server) {
      server.on("connection", opened);
      this.#certificates = followCertificates(server, tls, parts.log);
    }
    const { connections } = parts.metrics.traffic("http");
    server.on("connection", (socket: Socket) => {
      connections.inc();
      socket.once("close", () => connections.dec());
    });
    doors.guard(server);
  }

  #openDoors({ doors, metrics, log }: Parts): Doors {
    const { maxConnections, maxConnectionsPerAddress } = this.#options;
    const refused = () => metrics.refused("too_many_connections");
    const made = new Doors({ maxConnections, maxConnectionsPerAddress, ...doors, refused });
    if (maxConnections !== undefined && made.most < maxConnections) {
      const msg = "server.maxConnections is more than the file descriptors allow (ulimit -n)";
      log.warn({ maxConnections, allowed: made.most }, msg);
    }
    return made;
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

  /** How many WebSockets are open with each key. */
  get socketsByKey(): ReadonlyMap<string, number> {
    return this.#websocket.sizeByKey;
  }

  /** From now on, for who connects then: these limits, and these certificates where it speaks TLS. */
  limit({ tls, websocket, ...doors }: ServerLimits): void {
    const server = this.#server;
    if (tls !== undefined && "setSecureContext" in server) {
      this.#certificates?.stop();
      this.#certificates = followCertificates(server, tls, this.#log);
      this.#certificates.read();
    }
    this.#websocket.limit(websocket);
    this.#doors.limit(doors);
  }

  /** Networks were replaced or removed. */
  moveOn(): void {
    this.#websocket.moveOn();
  }

  /** Takes no more calls, lets those in the air finish, and ends the rest after a bounded time. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#certificates?.stop();
    this.#websocket.stop();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#plain?.stop();
    // node:http takes a connection on which nothing was said yet for a busy one.
    this.#end((socket) => socket.bytesRead === 0);
    const stopWaiting = this.#clock.after(this.#options.shutdownTimeoutMs, () => {
      this.#websocket.terminate();
      this.#end(() => true);
    });
    await closed;
    stopWaiting();
    this.#plain?.close();
    this.#stopLooking();
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
