import { toBinary } from "../lib/bytes.ts";
import type { Timers } from "../lib/timer-wheel.ts";
import { basicAuth } from "./basic-auth.ts";
import { BatchSender, type Wire } from "./batch-sender.ts";
import { ConnectionPool } from "./http/connection-pool.ts";
import { Exchange, type Outcome } from "./http/exchange.ts";
import { answerOf, callText } from "./http/json-rpc.ts";
import { OwnSecrets } from "./own-secrets.ts";
import type { InAir, Transport, UpstreamRequest } from "./transport.ts";
import type { UpstreamAnswer } from "./upstream-answer.ts";

export type HttpUpstreamOptions = {
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
  /** The node ended a connection: it may have been replaced by another. */
  readonly onBroken?: () => void;
};

/** One node behind HTTP: JSON-RPC over keep-alive connections, ids of its own. */
export class HttpUpstream implements Transport {
  readonly name: string;
  readonly #pool: ConnectionPool;
  /** All of the request's head but the length, which comes last. */
  readonly #head: string;
  readonly #maxBytes: number;
  readonly #timers: HttpUpstreamParts["timers"];
  readonly #secrets: OwnSecrets;
  /** Where the node is sent batches. */
  readonly #batches: BatchSender | undefined;
  #lastId = 0;

  constructor(options: HttpUpstreamOptions, parts: HttpUpstreamParts) {
    const url = new URL(options.url);
    this.name = options.name;
    const headers = { ...options.headers, ...basicAuth(url) };
    this.#head = headOf(url, headers);
    this.#maxBytes = options.maxResponseBytes;
    this.#timers = parts.timers;
    this.#secrets = new OwnSecrets(url, headers);
    const { timers, onBroken = () => undefined } = parts;
    this.#pool = new ConnectionPool(url, options.maxConnections, { timers, onBroken });
    const { batch = 0 } = options;
    if (batch > 1) this.#batches = this.#openBatches(batch);
  }

  /**
   * One request, one answer: `done` is called once, within `timeoutMs` whatever the node does.
   * `params` is the JSON text of the positional params.
   */
  call(request: UpstreamRequest, done: (answer: UpstreamAnswer) => void): InAir {
    if (this.#batches !== undefined && request.alone !== true) {
      return this.#batches.call(request, done);
    }
    const { timeoutMs } = request;
    const id = this.#takeIds(1);
    const exchange = this.#exchange(callText(id, request), timeoutMs, (outcome) => {
      this.#timers.clear(timer);
      done(this.#secrets.hideIn(answerOf(outcome, id)));
    });
    const timer = this.#timers.set(timeoutMs, () => {
      this.#pool.cancel(exchange);
      done({ kind: "timeout" });
    });
    this.#pool.send(exchange);
    const cancel = () => {
      this.#timers.clear(timer);
      this.#pool.cancel(exchange);
    };
    return { cancel };
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

  /** So many in a row that no other call has: the first. */
  #takeIds(count: number): number {
    if (this.#lastId > Number.MAX_SAFE_INTEGER - count) this.#lastId = 0;
    const first = this.#lastId + 1;
    this.#lastId += count;
    return first;
  }

  /** `text`: the body, JSON text. Nothing is sent yet. */
  #exchange(text: string, timeoutMs: number, done: (outcome: Outcome) => void): Exchange {
    const body = toBinary(text);
    const request = `${this.#head}${body.length}\r\n\r\n${body}`;
    return new Exchange({ request, maxBytes: this.#maxBytes, timeoutMs }, done);
  }

  #openBatches(most: number): BatchSender {
    const wire: Wire = {
      takeIds: (count) => this.#takeIds(count),
      exchange: (text, timeoutMs, done) => {
        const exchange = this.#exchange(text, timeoutMs, done);
        this.#pool.send(exchange);
        return { cancel: () => this.#pool.cancel(exchange) };
      },
    };
    return new BatchSender(most, { wire, timers: this.#timers, secrets: this.#secrets });
  }
}

function headOf(url: URL, configured: Readonly<Record<string, string>>): string {
  const own = { connection: "keep-alive", "content-type": "application/json" };
  const headers = new Map([["host", url.host]]);
  for (const [name, value] of Object.entries({ ...configured, ...own })) {
    headers.set(name.toLowerCase(), value);
  }
  const lines = Array.from(headers, ([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join("")}content-length: `;
}
