import type { Piece } from "../lib/bytes.ts";
import type { Clock } from "../lib/clock.ts";
import type { MemoryBudget } from "../lib/memory-budget.ts";
import type { Timer, Timers } from "../lib/timer-wheel.ts";
import type { LargeBuffers } from "../wire/bytes/large-buffers.ts";
import { basicCredentials } from "../wire/client/basic-credentials.ts";
import { ConnectionPool } from "../wire/client/connection-pool.ts";
import {
  Exchange,
  type ExchangeOptions,
  type Outcome,
  ToldExchange,
} from "../wire/client/exchange.ts";
import type { Way } from "../wire/client/way.ts";
import type { EventLoop } from "../wire/event-loop.ts";
import { basicAuth } from "./basic-auth.ts";
import { BatchSender, type Charge, type Wire } from "./batch-sender.ts";
import { answerOf, callText } from "./http-json-rpc.ts";
import { OwnSecrets } from "./own-secrets.ts";
import type { Asker, InAir, Transport, UpstreamRequest } from "./transport.ts";

export type HttpUpstreamOptions = Way & {
  readonly name: string;
  /** May hold credentials: never shown, only used. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxConnections: number;
  readonly maxResponseBytes: number;
  /** The most calls that it is sent in one batch; 0: none. */
  readonly batch?: number;
};

export type HttpUpstreamParts = {
  readonly timers: Timers;
  readonly loop: EventLoop;
  /** Bounds what clients make the gateway hold. */
  readonly memory?: MemoryBudget | undefined;
  /** The node ended a connection: it may have been replaced by another. */
  readonly onBroken?: () => void;
};

type CallParts = {
  readonly pool: ConnectionPool;
  readonly timers: Timers;
  readonly clock: Pick<Clock, "now">;
  readonly secrets: OwnSecrets;
  /** All of a request's head but the length, which comes last. */
  readonly head: string;
  readonly maxBytes: number;
  readonly memory: MemoryBudget | undefined;
};

type CallOptions = {
  readonly id: number;
  readonly request: UpstreamRequest;
  readonly asker: Asker;
};

/** One node behind HTTP: JSON-RPC over keep-alive connections, ids of its own. */
export class HttpUpstream implements Transport {
  readonly name: string;
  readonly #pool: ConnectionPool;
  readonly #callParts: CallParts;
  readonly #buffers: LargeBuffers;
  /** Where the node is sent batches. */
  readonly #batches: BatchSender | undefined;
  #lastId = 0;

  constructor(options: HttpUpstreamOptions, parts: HttpUpstreamParts) {
    const url = new URL(options.url);
    this.name = options.name;
    const { tls, proxy } = options;
    // A proxy is asked for a node without TLS, and for a tunnel to one with it.
    const asked = proxy !== undefined && url.protocol === "http:" ? new URL(proxy) : undefined;
    const headers = { ...options.headers, ...basicAuth(url), ...proxyAuth(asked) };
    const { timers, loop, memory, onBroken = () => undefined } = parts;
    this.#buffers = loop.buffers;
    const way = asked === undefined ? { tls, proxy } : {};
    const poolParts = { timers, loop, onBroken, way };
    this.#pool = new ConnectionPool(asked ?? url, options.maxConnections, poolParts);
    this.#callParts = {
      ...{ pool: this.#pool, timers, clock: loop.clock, memory },
      secrets: new OwnSecrets(url, headers),
      head: headOf(url, headers, asked === undefined ? "" : url.origin),
      maxBytes: options.maxResponseBytes,
    };
    const { batch = 0 } = options;
    if (batch > 1) this.#batches = this.#openBatches(batch, loop.buffers);
  }

  /**
   * One request, one answer: the asker is told within `timeoutMs` whatever the node does. `params`
   * is the JSON text of the positional params.
   */
  call(request: UpstreamRequest, asker: Asker): InAir {
    if (this.#batches !== undefined && request.alone !== true) {
      return this.#batches.call(request, asker);
    }
    const call = new HttpCall({ id: this.#takeIds(1), request, asker }, this.#callParts);
    this.#pool.send(call);
    call.begin();
    return call;
  }

  release(result: readonly Piece[]): void {
    for (const piece of result) if (typeof piece !== "string") this.#buffers.giveBack(piece);
  }

  /** Whether any connection is open: else who answers next may be another node. */
  get isConnected(): boolean {
    return this.#pool.isConnected;
  }

  /** Ends the connections; calls in the air are answered as unreachable. */
  async close(): Promise<void> {
    const closed = this.#pool.close();
    this.#batches?.close();
    await closed;
  }

  /** Reserves `count` ids in a row, and returns the first. */
  #takeIds(count: number): number {
    if (this.#lastId > Number.MAX_SAFE_INTEGER - count) this.#lastId = 0;
    const first = this.#lastId + 1;
    this.#lastId += count;
    return first;
  }

  #openBatches(most: number, buffers: LargeBuffers): BatchSender {
    const wire: Wire = {
      takeIds: (count) => this.#takeIds(count),
      exchange: (text, charge, done) => {
        const request = requestText(this.#callParts.head, text);
        const exchange = new ToldExchange({ request, ...optionsOf(charge, this.#callParts) }, done);
        this.#pool.send(exchange);
        return { cancel: () => this.#pool.cancel(exchange) };
      },
    };
    const { timers, clock, secrets } = this.#callParts;
    return new BatchSender(most, { wire, timers, clock, buffers, secrets });
  }
}

/** One call that travels alone, from its request to its answer. */
class HttpCall extends Exchange implements InAir {
  readonly #id: number;
  readonly #asked: UpstreamRequest;
  readonly #asker: Asker;
  readonly #parts: CallParts;
  #timer: Timer | undefined;
  #isDone = false;

  constructor({ id, request, asker }: CallOptions, parts: CallParts) {
    super(optionsOf(request, parts));
    this.#id = id;
    this.#asked = request;
    this.#asker = asker;
    this.#parts = parts;
  }

  /** Made when it is written: of a call that waits it would be an eighth of what its waiting holds. */
  get request(): string {
    const text = callText(this.#id, this.#asked);
    return requestText(this.#parts.head, text, this.#asked.traceparent);
  }

  /** Its time runs. The request is on its way already, and may have failed at once. */
  begin(): void {
    if (!this.#isDone) this.#timer = this.#parts.timers.set(this.timeoutMs, this);
  }

  done(outcome: Outcome): void {
    this.#isDone = true;
    this.#asker.answered(
      this.#parts.secrets.hideIn(answerOf(outcome, { id: this.#id, clock: this.#parts.clock })),
    );
    this.#endTime();
  }

  /** Its time is over. */
  due(): void {
    // Where most of the time went by in the line, the node had too little of it.
    const isUnsent = this.isWaiting || this.waitedMs > this.timeoutMs / 2;
    this.#parts.pool.cancel(this);
    this.#asker.answered(isUnsent ? { kind: "no_place" } : { kind: "timeout" });
  }

  get isWaiting(): boolean {
    return this.#parts.pool.isWaiting(this);
  }

  cancel(): void {
    this.#endTime();
    this.#parts.pool.cancel(this);
  }

  #endTime(): void {
    if (this.#timer !== undefined) this.#parts.timers.clear(this.#timer);
  }
}

function proxyAuth(proxy: URL | undefined): Record<string, string> {
  const value = proxy && basicCredentials(proxy);
  return value === undefined ? {} : { "proxy-authorization": value };
}

function optionsOf(
  { timeoutMs, account, keyId }: Charge,
  { maxBytes, memory }: CallParts,
): ExchangeOptions {
  return { maxBytes, timeoutMs, memory, account, key: keyId };
}

/** `text`: the body, JSON text in ASCII. */
function requestText(head: string, text: string, traceparent?: string): string {
  const more = traceparent === undefined ? "" : `\r\ntraceparent: ${traceparent}`;
  return `${head}${text.length}${more}\r\n\r\n${text}`;
}

/** `origin`: stands before the path where a proxy is asked (RFC 9112, absolute-form). */
function headOf(url: URL, configured: Readonly<Record<string, string>>, origin: string): string {
  const own = { connection: "keep-alive", "content-type": "application/json" };
  const headers = new Map([["host", url.host]]);
  for (const [name, value] of Object.entries({ ...configured, ...own })) {
    headers.set(name.toLowerCase(), value);
  }
  const lines = Array.from(headers, ([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${origin}${url.pathname}${url.search} HTTP/1.1\r\n${lines.join("")}content-length: `;
}
