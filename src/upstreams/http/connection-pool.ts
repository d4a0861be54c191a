import type { Timer, Timers } from "../../lib/timer-wheel.ts";
import { Nearness } from "./busy-poll.ts";
import { Dialer } from "./dialer.ts";
import { type Exchange, ExchangeLine } from "./exchange.ts";
import { type Ending, HttpConnection } from "./http-connection.ts";

const SWEEP_MS = 500;
const CLOSED = { kind: "unreachable", code: "CLIENT_CLOSED" } as const;

type Parts = {
  readonly timers: Timers;
  /** The node ended a connection: it may have been replaced by another. */
  readonly onBroken: () => void;
};

/**
 * Keep-alive connections of HTTP/1.1 to one origin, at most so many, one exchange at a time on each.
 * Exchanges take the connection that rests the shortest, so that those not needed close; or wait.
 */
export class ConnectionPool {
  readonly #dialer: Dialer;
  readonly #maxConnections: number;
  readonly #timers: Parts["timers"];
  readonly #onBroken: () => void;
  readonly #all = new Set<HttpConnection>();
  /** Being opened for whoever waits, with the deadline of it; those for one exchange are not here. */
  readonly #opening = new Map<HttpConnection, Timer>();
  /** The last one rests the shortest. */
  readonly #resting: HttpConnection[] = [];
  readonly #line = new ExchangeLine();
  readonly #owner = {
    nearness: new Nearness(),
    free: (connection: HttpConnection) => this.#free(connection),
    ended: (connection: HttpConnection, ending: Ending) => this.#ended(connection, ending),
  };
  #sweeper: Timer | undefined;
  #isClosed = false;

  constructor(url: URL, maxConnections: number, { timers, onBroken }: Parts) {
    this.#onBroken = onBroken;
    this.#dialer = new Dialer(url);
    this.#maxConnections = maxConnections;
    this.#timers = timers;
  }

  send(exchange: Exchange): void {
    if (this.#isClosed) {
      exchange.done(CLOSED);
      return;
    }
    const connection = this.#resting.pop();
    if (connection !== undefined) {
      connection.carry(exchange);
      return;
    }
    this.#line.push(exchange);
    this.#openForLine();
  }

  /** It is told nothing any more; what carries it ends, since its response could still come. */
  cancel(exchange: Exchange): void {
    if (exchange.carrier === undefined) this.#line.delete(exchange);
    else exchange.carrier.abort();
  }

  /** Ends all; what waits or is in the air is unreachable. Resolves when the sockets are closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#sweeper !== undefined) this.#timers.clear(this.#sweeper);
    const connections = [...this.#all];
    this.#failLine(CLOSED.code);
    for (const connection of connections) connection.break(CLOSED.code);
    await Promise.all(connections.map((connection) => connection.closed()));
  }

  #openForLine(): void {
    while (this.#opening.size < this.#line.size && this.#all.size < this.#maxConnections) {
      const connection = new HttpConnection(this.#dialer, this.#owner);
      const timeoutMs = this.#line.first?.timeoutMs ?? 0;
      this.#opening.set(
        connection,
        this.#timers.set(timeoutMs, () => connection.abort()),
      );
      this.#all.add(connection);
    }
  }

  #free(connection: HttpConnection): void {
    this.#opened(connection);
    const exchange = this.#line.shift();
    if (exchange !== undefined) {
      connection.carry(exchange);
      return;
    }
    connection.restedMs = 0;
    this.#resting.push(connection);
    this.#sweeper ??= this.#timers.set(SWEEP_MS, () => this.#sweep());
  }

  #opened(connection: HttpConnection): void {
    const timer = this.#opening.get(connection);
    if (timer === undefined) return;
    this.#timers.clear(timer);
    this.#opening.delete(connection);
  }

  #ended(connection: HttpConnection, ending: Ending): void {
    this.#all.delete(connection);
    this.#opened(connection);
    const place = this.#resting.indexOf(connection);
    if (place >= 0) this.#resting.splice(place, 1);
    if (ending.why === "not_opened") {
      this.#notOpened(ending.exchange ?? this.#line.shift(), ending.code);
      return;
    }
    if (ending.why !== "unneeded" && !this.#isClosed) this.#onBroken();
    this.#openForLine();
    if (ending.why === "broken") {
      const { code, isStale } = ending;
      ending.exchange.done({ kind: "unreachable", code, ...(isStale && { isStale }) });
    }
  }

  /** Whether any connection is open, so that who answers is whoever answered before. */
  get isConnected(): boolean {
    return this.#all.size > this.#opening.size;
  }

  /**
   * Each attempt that fails is one exchange's failure, and the last one that of all who wait: not
   * opening another keeps a node that refuses from being dialled over and over.
   */
  #notOpened(exchange: Exchange | undefined, code: string): void {
    exchange?.done({ kind: "unreachable", code });
    if (this.#all.size === 0) this.#failLine(code);
  }

  #failLine(code: string): void {
    for (let left = this.#line.size; left > 0; left -= 1) {
      this.#line.shift()?.done({ kind: "unreachable", code });
    }
  }

  #sweep(): void {
    this.#sweeper = undefined;
    for (const connection of [...this.#resting]) {
      connection.restedMs += SWEEP_MS;
      connection.letGo();
      if (connection.restedMs + SWEEP_MS >= connection.restMs) connection.abort();
    }
    if (this.#resting.length > 0) {
      this.#sweeper = this.#timers.set(SWEEP_MS, () => this.#sweep());
    }
  }
}
