import type { Server } from "node:http";
import type { Server as SecureServer } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Time } from "../../lib/clock.ts";
import type { Holding, MemoryBudget } from "../../lib/memory-budget.ts";
import type { EventLoop } from "../event-loop.ts";
import { AnswerEnds } from "./answer-ends.ts";
import type { Exchange } from "./exchange.ts";
import { PlainConnection } from "./plain-connection.ts";
import type { PlainConnectionOwner, PlainLimits } from "./plain-connection-owner.ts";
import type { FaultAnswers } from "./raw-answer.ts";
import type { SocketReader } from "./socket-reader.ts";

/** How often limits are looked at; nothing ends more than twice this late, and nothing early. */
const STEP_MS = 250;

type Parts = {
  readonly begin: (exchange: Exchange) => void;
  /** A connection is there: with the socket that it has from now on. */
  readonly opened: (socket: Socket) => void;
  readonly clock: Time;
  readonly memory: MemoryBudget;
  readonly loop: EventLoop;
  readonly faults: FaultAnswers;
};

/**
 * The connections of a node:http server as long as they are plain: they are served here without
 * node:http, which costs more than all that the gateway does for a call. What is odd is handed to
 * the server's own listener at the boundary of a request, with the bytes read so far.
 */
export class PlainWire implements PlainConnectionOwner {
  readonly loop: EventLoop;
  readonly limits: PlainLimits;
  readonly faults: FaultAnswers;
  stepEndMs: number;
  stopping = false;
  readonly #parts: Parts;
  readonly #ends: AnswerEnds;
  readonly #connections = new Set<PlainConnection>();
  /** The readers of connections that were handed over. */
  readonly #readers = new WeakMap<Duplex, SocketReader>();
  readonly #serve: (socket: Socket) => void;
  readonly #stopSweeping: () => void;

  /** `keepAliveMs`: what clients are told of `limits.idleMs`. */
  constructor(
    server: Server | SecureServer,
    options: { readonly limits: PlainLimits; readonly keepAliveMs: number },
    parts: Parts,
  ) {
    this.limits = options.limits;
    this.faults = parts.faults;
    this.loop = parts.loop;
    this.#parts = parts;
    this.#ends = new AnswerEnds(options.keepAliveMs);
    this.stepEndMs = parts.clock.monotonic() + STEP_MS;
    const event = "setSecureContext" in server ? "secureConnection" : "connection";
    const own = server.listeners(event)[0] as ((socket: Socket) => void) | undefined;
    if (own === undefined) throw new Error("node:http does not listen to its own connections");
    this.#serve = own.bind(server);
    server.off(event, own);
    server.on(event, (socket: Socket) => {
      const connection = new PlainConnection(socket, this);
      this.#connections.add(connection);
      parts.opened(connection.socket);
    });
    this.#stopSweeping = parts.clock.every(STEP_MS, () => this.sweep());
  }

  /** Looks at the limits of all connections; called by a timer, and by tests. */
  sweep(): void {
    const nowMs = this.#parts.clock.monotonic();
    this.stepEndMs = nowMs + STEP_MS;
    for (const connection of this.#connections) connection.check(nowMs);
  }

  /** From now on each answer is the last of its connection; idle connections end. */
  stop(): void {
    this.stopping = true;
    for (const connection of this.#connections) if (connection.idle) connection.destroy();
  }

  /** After the last connection. */
  close(): void {
    this.#stopSweeping();
  }

  hold(address: string, giveUp: () => void): Holding {
    return this.#parts.memory.open(address, giveUp);
  }

  begin(exchange: Exchange): void {
    this.#parts.begin(exchange);
  }

  headEnd(last: boolean): string {
    return this.#ends.after(this.#parts.clock.now(), last);
  }

  /** The bytes come first: what the socket still holds, or reads from here on, comes after them. */
  handOver(reader: SocketReader, bytes: Buffer): void {
    const { socket } = reader;
    if (reader.isOwn) this.#readers.set(socket, reader);
    this.#serve(socket);
    // Where somebody listens, node:http gets what is read from the socket, and so in its turn
    // (`clientReads`), in place of reading it itself below.
    socket.on("data", ignore);
    socket.emit("data", bytes);
  }

  /** The reader of a connection that was handed over; undefined where it reads itself, as with TLS. */
  readerOf(socket: Duplex): SocketReader | undefined {
    return this.#readers.get(socket);
  }

  forget(connection: PlainConnection): void {
    this.#connections.delete(connection);
  }
}

function ignore(): void {}
