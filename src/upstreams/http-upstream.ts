import { toBinary } from "../lib/bytes.ts";
import type { Timers } from "../lib/timer-wheel.ts";
import { basicAuth } from "./basic-auth.ts";
import { ConnectionPool } from "./http/connection-pool.ts";
import { Exchange, type Outcome } from "./http/exchange.ts";
import { parseRetryAfter } from "./http/retry-after.ts";
import { OwnSecrets } from "./own-secrets.ts";
import { readAnswer } from "./read-answer.ts";
import type { InAir, Transport, UpstreamRequest } from "./transport.ts";
import type { UpstreamAnswer } from "./upstream-answer.ts";

export type HttpUpstreamOptions = {
  readonly name: string;
  /** May hold credentials: never shown, only used. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxConnections: number;
  readonly maxResponseBytes: number;
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
  }

  /**
   * One request, one answer: `done` is called once, within `timeoutMs` whatever the node does.
   * `params` is the JSON text of the positional params.
   */
  call(
    { method, params, timeoutMs }: UpstreamRequest,
    done: (answer: UpstreamAnswer) => void,
  ): InAir {
    this.#lastId = this.#lastId >= Number.MAX_SAFE_INTEGER ? 1 : this.#lastId + 1;
    const id = this.#lastId;
    const body = `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${toBinary(params)}}`;
    const request = `${this.#head}${body.length}\r\n\r\n${body}`;
    const options = { request, maxBytes: this.#maxBytes, timeoutMs };
    const exchange = new Exchange(options, (outcome) => {
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
    await this.#pool.close();
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

function answerOf(outcome: Outcome, id: number): UpstreamAnswer {
  if (outcome.kind !== "response") return outcome;
  const { head, body } = outcome;
  const answer = readAnswer(head.status, body, { id, framed: head.body !== "until_end" });
  if (answer.kind !== "garbage" && answer.kind !== "error") return answer;
  const retryAfterMs = parseRetryAfter(head.retryAfter, Date.now());
  return retryAfterMs === undefined ? answer : { ...answer, retryAfterMs };
}
