import type { Timer, Timers } from "../../lib/timer-wheel.ts";
import { TurnQueue } from "../../lib/turn-queue.ts";
import type { EventLoop } from "../event-loop.ts";
import { Nearness } from "./busy-poll.ts";
import { Dialer } from "./dialer.ts";
import type { Exchange, Failure } from "./exchange.ts";
import { FairLine } from "./fair-line.ts";
import type { ConnectionOwner, Ending, HttpConnection } from "./http-connection.ts";
import { NodeHttpConnection } from "./node-connection.ts";
import { PlainHttpConnection } from "./plain-connection.ts";
import { SparePlaces } from "./spare-places.ts";
import type { Way } from "./way.ts";

const SWEEP_MS = 500;
/** The most exchanges that wait for each connection, and the least limit for all of them. */
const WAITING_PER_CONNECTION = 64;
const LEAST_WAITING = 1024;
/** In all, at some 2.5 KB each: what a process can do in a good part of a second. */
const MOST_WAITING = 8192;
/** To open one takes as long as ten calls. */
const OPENED_IN_A_TURN = 16;
/** How much of the last exchange's time goes into what is expected of the next. */
const NEWS = 0.1;
/** An exchange needs so much of the usual time to be worth sending: some take longer than others. */
const WORTHWHILE = 1.5;
const NO_PLACE = { kind: "no_place" } as const;
const CLOSED = { kind: "unreachable", code: "CLIENT_CLOSED" } as const;

type Parts = {
  readonly timers: Timers;
  readonly loop: EventLoop;
  /** The node ended a connection: it may have been replaced by another. */
  readonly onBroken: () => void;
  readonly way?: Way | undefined;
};

/**
 * Keep-alive connections of HTTP/1.1 to one origin, at most so many, one exchange at a time on each.
 * Exchanges take the connection that rests the shortest, so that those not needed close; or wait.
 */
export class ConnectionPool {
  readonly #dialer: Dialer;
  readonly #Connection: typeof PlainHttpConnection | typeof NodeHttpConnection;
  readonly #maxConnections: number;
  readonly #mostWaiting: number;
  readonly #timers: Parts["timers"];
  readonly #onBroken: () => void;
  readonly #all = new Set<HttpConnection>();
  /** Being opened for whoever waits, with the deadline of it. */
  readonly #opening = new Map<HttpConnection, Timer>();
  /** The last one rests the shortest. */
  readonly #resting: HttpConnection[] = [];
  readonly #line = new FairLine();
  readonly #spare: SparePlaces;
  /** They waited in vain, and are to be told unless they are cancelled before. */
  readonly #failed: TurnQueue<Exchange>;
  /** How long an exchange takes, from its request to its answer; 0: nobody knows. */
  #serviceMs = 0;
  readonly #owner: ConnectionOwner;
  #sweeper: Timer | undefined;
  /** In this turn of the event loop. */
  #opened = 0;
  #isClosed = false;

  /** @throws TlsFilesError */
  constructor(url: URL, maxConnections: number, { timers, loop, onBroken, way }: Parts) {
    this.#onBroken = onBroken;
    this.#dialer = new Dialer(url, loop.connect, way);
    this.#failed = new TurnQueue<Exchange>((exchange) => {
      const { failure } = exchange;
      if (failure !== undefined) exchange.done(failure);
    }, loop.afterReads);
    const isPlain = loop.wire === "plain" && !this.#dialer.isTunnel;
    this.#Connection = isPlain ? PlainHttpConnection : NodeHttpConnection;
    this.#maxConnections = maxConnections;
    this.#spare = new SparePlaces(maxConnections, loop.clock);
    this.#owner = {
      loop,
      nearness: new Nearness(),
      free: (connection) => this.#free(connection),
      ended: (connection, ending) => this.#ended(connection, ending),
    };
    const some = Math.max(maxConnections * WAITING_PER_CONNECTION, LEAST_WAITING);
    this.#mostWaiting = Math.min(some, MOST_WAITING);
    this.#timers = timers;
  }

  send(exchange: Exchange): void {
    if (this.#isClosed) {
      exchange.done(CLOSED);
      return;
    }
    const { account } = exchange;
    if (account !== undefined) this.#spare.came(account);
    const isFree = this.#resting.length > 0;
    const connection = isFree && this.#mayCarry(account, 1) ? this.#resting.pop() : undefined;
    if (connection !== undefined) {
      connection.carry(exchange);
      return;
    }
    if (account !== undefined && !this.#hasPlace(exchange, account)) {
      exchange.done(NO_PLACE);
      return;
    }
    exchange.waitsSinceMs = this.#owner.loop.clock.monotonic();
    this.#line.push(exchange);
    this.#openForLine();
  }

  /** Whether `taken` of the free places may go to this account. */
  #mayCarry(account: string | undefined, taken: number): boolean {
    const free = this.#resting.length + this.#maxConnections - this.#all.size - taken;
    return account === undefined || !this.#spare.isKeptFrom(account, free, this.#all);
  }

  /** Whether its turn may come in time; where the line is full, in place of one of who waits most. */
  #hasPlace({ timeoutMs }: Exchange, account: string): boolean {
    if (this.#line.size >= this.#mostWaiting) {
      const other = this.#line.popHeavier(account);
      if (other === undefined) return false;
      other.done(NO_PLACE);
    }
    // One is opened for it: what other exchanges took long ago keeps nothing from a node that is idle.
    if (this.#line.size < this.#maxConnections - this.#all.size + this.#opening.size) return true;
    const turns = this.#line.ahead(account) / this.#maxConnections;
    return this.#serviceMs * (turns + WORTHWHILE) <= timeoutMs;
  }

  /**
   * The next whose answer can still be in time: the node would work for the others in vain. Where it
   * waited for this connection to be opened, and not for others, half of its time is enough.
   */
  #next(isOpened: boolean): Exchange | undefined {
    for (;;) {
      // The connection that came free is none of those that rest.
      const exchange = this.#line.shift((account) => this.#mayCarry(account, 0));
      if (exchange === undefined || exchange.account === undefined) return exchange;
      const { timeoutMs } = exchange;
      const waitedMs = this.#owner.loop.clock.monotonic() - exchange.waitsSinceMs;
      const usualMs = this.#serviceMs * WORTHWHILE;
      const needsMs = isOpened ? Math.min(usualMs, timeoutMs / 2) : usualMs;
      if (waitedMs + needsMs <= timeoutMs) {
        exchange.waitedMs = waitedMs;
        return exchange;
      }
      this.#fail(exchange, NO_PLACE);
    }
  }

  /** Whether it waits for a connection while others are carried: the node does not know of it. */
  isWaiting({ carrier }: Exchange): boolean {
    return carrier === undefined && this.isConnected;
  }

  /** It is told nothing any more; what carries it ends, since its response could still come. */
  cancel(exchange: Exchange): void {
    if (exchange.failure !== undefined) exchange.failure = undefined;
    else if (exchange.carrier === undefined) this.#line.delete(exchange);
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
    // One beyond the limit for the gateway's own, which must not wait for clients.
    const most = this.#maxConnections + Math.min(this.#line.ownSize, 1);
    while (this.#opening.size < this.#line.size && this.#all.size < most) {
      if (this.#opened === OPENED_IN_A_TURN) return;
      if (this.#opened === 0) this.#owner.loop.afterReads(this.#openMore);
      this.#opened += 1;
      const connection = new this.#Connection(this.#dialer, this.#owner);
      const timeoutMs = this.#line.first?.timeoutMs ?? 0;
      this.#opening.set(
        connection,
        this.#timers.set(timeoutMs, () => connection.abort()),
      );
      this.#all.add(connection);
    }
  }

  readonly #openMore = (): void => {
    this.#opened = 0;
    this.#openForLine();
  };

  #free(connection: HttpConnection): void {
    const isOpened = this.#endOpening(connection);
    if (connection.tookMs > 0) {
      const { tookMs } = connection;
      this.#serviceMs += this.#serviceMs === 0 ? tookMs : NEWS * (tookMs - this.#serviceMs);
    }
    const isBeyond = this.#all.size > this.#maxConnections;
    const exchange = isBeyond ? this.#line.shiftOwn() : this.#next(isOpened);
    if (exchange === undefined) {
      if (isBeyond) connection.abort();
      else this.#rest(connection);
      return;
    }
    // Where some rest for others they take turns, or the node would end those that always rest.
    const rested = this.#resting.shift();
    if (rested !== undefined) this.#rest(connection);
    (rested ?? connection).carry(exchange);
  }

  #rest(connection: HttpConnection): void {
    connection.restedMs = 0;
    this.#resting.push(connection);
    this.#sweeper ??= this.#timers.set(SWEEP_MS, () => this.#sweep());
  }

  /** Whether it was being opened. */
  #endOpening(connection: HttpConnection): boolean {
    const timer = this.#opening.get(connection);
    if (timer === undefined) return false;
    this.#timers.clear(timer);
    return this.#opening.delete(connection);
  }

  #ended(connection: HttpConnection, ending: Ending): void {
    this.#all.delete(connection);
    this.#endOpening(connection);
    const place = this.#resting.indexOf(connection);
    if (place >= 0) this.#resting.splice(place, 1);
    if (ending.why === "not_opened") {
      this.#notOpened(this.#line.shift(), ending.code);
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
      const exchange = this.#line.shift();
      if (exchange !== undefined) this.#fail(exchange, { kind: "unreachable", code });
    }
  }

  /** Thousands may have waited. */
  #fail(exchange: Exchange, failure: Failure): void {
    exchange.failure = failure;
    this.#failed.push(exchange);
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
