import { type Dispatcher, Pool } from "undici";
import type { Timer, TimerWheel } from "../lib/timer-wheel.ts";
import { OwnSecrets } from "./own-secrets.ts";
import { readAnswer } from "./read-answer.ts";
import type { UpstreamAnswer } from "./upstream-answer.ts";

export type UpstreamRequest = {
  readonly method: string;
  /** JSON text of the positional params. */
  readonly params: string;
  readonly timeoutMs: number;
};

export type HttpUpstreamOptions = {
  readonly name: string;
  /** May hold credentials: never shown, only used. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxConnections: number;
  readonly maxResponseBytes: number;
};

/** One node behind HTTP: JSON-RPC over keep-alive connections, ids of its own. */
export class HttpUpstream {
  readonly name: string;
  readonly #pool: Pool;
  readonly #path: string;
  readonly #headers: Record<string, string>;
  readonly #maxResponseBytes: number;
  readonly #timers: TimerWheel;
  readonly #secrets: OwnSecrets;
  #lastId = 0;

  constructor(options: HttpUpstreamOptions, parts: { readonly timers: TimerWheel }) {
    const url = new URL(options.url);
    this.name = options.name;
    this.#path = url.pathname + url.search;
    const headers = { ...options.headers, ...basicAuth(url) };
    this.#headers = { ...headers, "content-type": "application/json" };
    this.#maxResponseBytes = options.maxResponseBytes;
    this.#timers = parts.timers;
    this.#secrets = new OwnSecrets(url, headers);
    this.#pool = new Pool(url.origin, {
      connections: options.maxConnections,
      // Deadlines are the calls' own, on one timer wheel.
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
    });
  }

  /**
   * One request, one answer: `done` is called once, within `timeoutMs` whatever the node does.
   * `params` is the JSON text of the positional params.
   */
  call(request: UpstreamRequest, done: (answer: UpstreamAnswer) => void): void {
    this.#lastId = this.#lastId >= Number.MAX_SAFE_INTEGER ? 1 : this.#lastId + 1;
    const id = this.#lastId;
    const limits = { id, maxBytes: this.#maxResponseBytes };
    const exchange = new Exchange(limits, this.#timers, (answer) =>
      done(this.#secrets.hideIn(answer)),
    );
    exchange.limit(request.timeoutMs);
    const { method, params } = request;
    const body = `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
    const options = { method: "POST", path: this.#path, headers: this.#headers, body } as const;
    this.#pool.dispatch(options, exchange);
  }

  /** Ends the connections; calls in the air are answered as unreachable. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

function basicAuth(url: URL): Record<string, string> {
  if (url.username === "" && url.password === "") return {};
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}

/** One request in undici's hands. What ends it first is its answer; the rest is aborted. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #id: number;
  readonly #maxBytes: number;
  readonly #timers: TimerWheel;
  #done: ((answer: UpstreamAnswer) => void) | undefined;
  #timer: Timer | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #framed = false;
  #chunks: Buffer[] = [];
  #received = 0;

  constructor(
    { id, maxBytes }: { readonly id: number; readonly maxBytes: number },
    timers: TimerWheel,
    done: (answer: UpstreamAnswer) => void,
  ) {
    this.#id = id;
    this.#maxBytes = maxBytes;
    this.#timers = timers;
    this.#done = done;
  }

  limit(timeoutMs: number): void {
    this.#timer = this.#timers.set(timeoutMs, () => this.#end({ kind: "timeout" }));
  }

  #end(answer: UpstreamAnswer): void {
    const done = this.#done;
    if (done === undefined) return;
    this.#done = undefined;
    if (this.#timer !== undefined) this.#timers.clear(this.#timer);
    this.#chunks = [];
    done(answer);
    if (answer.kind === "timeout" || answer.kind === "too_large") this.#abort(answer.kind);
  }

  #abort(reason: string): void {
    if (this.#controller?.aborted === false) this.#controller.abort(new Error(reason));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#done === undefined) this.#abort("timeout");
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = status;
    this.#framed = "content-length" in headers || "transfer-encoding" in headers;
    if (Number(headers["content-length"]) > this.#maxBytes) this.#end({ kind: "too_large" });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#done === undefined) return;
    this.#received += chunk.length;
    if (this.#received > this.#maxBytes) this.#end({ kind: "too_large" });
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#done === undefined) return;
    const expected = { id: this.#id, framed: this.#framed };
    this.#end(readAnswer(this.#status, this.#chunks, expected));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const code = "code" in error ? String(error.code) : error.name;
    this.#end({ kind: "unreachable", code });
  }
}
