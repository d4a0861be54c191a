import { wholeBytes } from "../lib/bytes.ts";
import type { Clock } from "../lib/clock.ts";
import type { Timer, Timers } from "../lib/timer-wheel.ts";
import type { Way } from "../wire/client/way.ts";
import { basicAuth } from "./basic-auth.ts";
import { callText } from "./http-json-rpc.ts";
import { OwnSecrets } from "./own-secrets.ts";
import type { Asker, InAir, Transport, UpstreamRequest } from "./transport.ts";
import type { UpstreamAnswer } from "./upstream-answer.ts";
import { Backoff, LONGEST_BACKOFF_MS } from "./ws-backoff.ts";
import { WsCalls } from "./ws-calls.ts";
import { WsConnection } from "./ws-connection.ts";
import { wsDialer } from "./ws-dialer.ts";
import { isHash, type NewHead, readFrame, readHead } from "./ws-frame.ts";

const SUBSCRIBE_MS = 5_000;
/** Unsent bytes from which on no call is added: the node does not read. */
const FULL_BYTES = 16 * 1024 * 1024;
/** A node's refusal is cut to this length in the log. */
const REASON_CHARS = 200;
const TOO_LARGE = "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH";

export type WsUpstreamOptions = Way & {
  /** `ws:` or `wss:`; may hold credentials: never shown, only used. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A larger message ends the connection, and with it all calls in the air. */
  readonly maxResponseBytes: number;
};

/** `flowing`: the node has taken the subscription, and tells of each new block. */
export type HeadsState = "flowing" | "down";

export type WsObserver = {
  /** A new block; only while the state is `flowing`. */
  readonly head: (head: NewHead) => void;
  /** The hash of a transaction that waits to be mined, in lower case; absent: nobody wants to know. */
  readonly pending?: ((hash: string) => void) | undefined;
  /** Told of each change, and of the first failure; `reason` holds no secret. */
  readonly state: (state: HeadsState, reason: string) => void;
};

export type WsUpstreamParts = {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly observer: WsObserver;
};

/**
 * One node behind a WebSocket that is opened again whenever it breaks: its new heads, and calls
 * over the same socket. The node's present head is not told, only those that follow.
 */
export class WsUpstream implements Transport {
  readonly #parts: WsUpstreamParts;
  readonly #options: ConstructorParameters<typeof WsConnection>[0];
  readonly #secrets: OwnSecrets;
  readonly #calls: WsCalls;
  readonly #backoff: Backoff;
  #connection: WsConnection | undefined;
  #openedMs: number | undefined;
  #subscription: string | undefined;
  #pending: string | undefined;
  /** Starts the next connection, or the next subscription if the last one was refused. */
  #retry: Timer | undefined;
  #told: HeadsState | undefined;

  constructor(options: WsUpstreamOptions, parts: WsUpstreamParts) {
    const url = new URL(options.url);
    const headers = { ...options.headers, ...basicAuth(url) };
    this.#secrets = new OwnSecrets(url, headers);
    // Nothing that a server sees, and the library refuses it.
    url.hash = "";
    const dialer = wsDialer(url, options);
    this.#options = { url, headers, maxMessageBytes: options.maxResponseBytes, dialer };
    this.#parts = parts;
    this.#calls = new WsCalls({ timers: parts.timers, secrets: this.#secrets });
    this.#backoff = new Backoff(parts.random);
  }

  /** Whether calls can be sent now. */
  get isConnected(): boolean {
    return this.#connection?.isOpen === true;
  }

  /** Connects, and keeps connected until `close`. */
  open(): void {
    if (this.#connection === undefined && this.#retry === undefined) this.#connect();
  }

  /**
   * The asker is told never before this returns: within `timeoutMs`, at once where the socket is not
   * open. Answers carry no HTTP status: theirs is 200.
   */
  call(request: UpstreamRequest, asker: Asker): InAir {
    const connection = this.#connection;
    if (connection?.isOpen !== true) return refuse("WS_NOT_OPEN", asker);
    if (connection.unsentBytes > FULL_BYTES) return refuse("WS_NOT_READ", asker);
    const call = this.#calls.begin(request.timeoutMs, asker);
    connection.send(callText(call.id, request));
    return call;
  }

  /** Calls in the air are answered as unreachable. It can be opened again. */
  async close(): Promise<void> {
    const connection = this.#connection;
    this.#leave();
    this.#tell("down", "closed");
    this.#calls.fail("WS_NOT_OPEN");
    await connection?.close();
  }

  #connect(): void {
    this.#retry = undefined;
    const connection = new WsConnection(this.#options, {
      clock: this.#parts.clock,
      timers: this.#parts.timers,
      listener: {
        opened: () => {
          this.#openedMs = this.#parts.clock.monotonic();
          this.#subscribe();
        },
        received: (message) => this.#receive(connection, message),
        ended: (code) => this.#ended(code),
      },
    });
    this.#connection = connection;
  }

  #ended(code: string): void {
    const opened = this.#openedMs;
    // One that is taken and cut again and again must not be tried at full speed.
    const lasted = opened === undefined ? 0 : this.#parts.clock.monotonic() - opened;
    if (lasted >= LONGEST_BACKOFF_MS) this.#backoff.reset();
    this.#leave();
    this.#retry = this.#parts.timers.set(this.#backoff.next(), () => this.#connect());
    this.#tell("down", code);
    if (code === TOO_LARGE) this.#calls.tooLarge();
    this.#calls.fail(code);
  }

  #leave(): void {
    if (this.#retry !== undefined) this.#parts.timers.clear(this.#retry);
    this.#retry = undefined;
    this.#connection = undefined;
    this.#openedMs = undefined;
    this.#subscription = undefined;
    this.#pending = undefined;
  }

  #subscribe(): void {
    this.#retry = undefined;
    const request = { method: "eth_subscribe", params: '["newHeads"]', timeoutMs: SUBSCRIBE_MS };
    this.call(request, { answered: (answer) => this.#subscribed(answer) });
  }

  #subscribed(answer: UpstreamAnswer): void {
    if (answer.kind === "error") {
      // Calls can go on over a socket whose node tells of no heads.
      this.#retry = this.#parts.timers.set(this.#backoff.next(), () => this.#subscribe());
      const { message } = answer.error;
      this.#tell("down", `eth_subscribe: ${String(message).slice(0, REASON_CHARS)}`);
      return;
    }
    const id = answer.kind === "result" ? readText(wholeBytes(answer.result)) : undefined;
    if (id === undefined) {
      this.#connection?.end("WS_NOT_SUBSCRIBED");
      return;
    }
    this.#subscription = id;
    this.#tell("flowing", "");
    if (this.#parts.observer.pending !== undefined) this.#subscribePending();
  }

  /** A node that refuses it tells of its blocks all the same. */
  #subscribePending(): void {
    const params = '["newPendingTransactions"]';
    const request = { method: "eth_subscribe", params, timeoutMs: SUBSCRIBE_MS };
    this.call(request, {
      answered: (answer) => {
        if (answer.kind === "result") this.#pending = readText(wholeBytes(answer.result));
      },
    });
  }

  #receive(connection: WsConnection, message: Buffer): void {
    const frame = readFrame(message);
    switch (frame.kind) {
      case "answer":
        if (!this.#calls.answer(frame.id, message)) connection.end("WS_UNKNOWN_ID");
        return;
      case "anonymous_error":
        if (!this.#calls.answerOnly(message)) connection.end("WS_NO_ID");
        return;
      case "event":
        this.#event(connection, frame);
        return;
      case "other":
        return;
      case "garbage":
        connection.end("WS_GARBAGE");
    }
  }

  /** Some nodes begin before they have said the subscription's id. */
  #event(
    connection: WsConnection,
    { subscription, result }: { readonly subscription: string; readonly result: unknown },
  ): void {
    const { observer } = this.#parts;
    if (subscription === this.#pending) {
      if (isHash(result)) observer.pending?.(result.toLowerCase());
      return;
    }
    if (subscription !== this.#subscription) return;
    const head = readHead(result);
    if (head === undefined) connection.end("WS_BAD_HEAD");
    else observer.head(head);
  }

  #tell(state: HeadsState, reason: string): void {
    if (this.#told === state) return;
    this.#told = state;
    this.#parts.observer.state(state, reason);
  }
}

/** Answers later, as all calls are answered: callers do not expect it while they still send. */
function refuse(code: string, asker: Asker): InAir {
  let told: Asker | undefined = asker;
  queueMicrotask(() => told?.answered({ kind: "unreachable", code }));
  return {
    cancel: () => {
      told = undefined;
    },
  };
}

function readText(json: Buffer): string | undefined {
  try {
    const value: unknown = JSON.parse(json.toString("utf8"));
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
