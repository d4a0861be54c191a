import { wholeText } from "../lib/bytes.ts";
import type { Clock } from "../lib/clock.ts";
import { scanObject } from "../lib/json-scan.ts";
import type { Timers } from "../lib/timer-wheel.ts";
import type { Way } from "../wire/client/way.ts";
import { basicAuth } from "./basic-auth.ts";
import { callText } from "./http-json-rpc.ts";
import { OwnSecrets } from "./own-secrets.ts";
import type { UpstreamAnswer } from "./upstream-answer.ts";
import { WsCalls } from "./ws-calls.ts";
import { WsConnection } from "./ws-connection.ts";
import { wsDialer } from "./ws-dialer.ts";
import { readFrame } from "./ws-frame.ts";

const ASK_MS = 5000;

export type WsStreamOptions = Way & {
  /** `ws:` or `wss:`; may hold credentials: never shown, only used. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A larger message ends the connection. */
  readonly maxResponseBytes: number;
};

export type WsStreamParts = {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
};

export type StreamRequest = {
  /** `accountSubscribe`, for example; `accountUnsubscribe` ends it. */
  readonly method: string;
  /** JSON text of the positional params. */
  readonly params: string;
};

export type StreamListener = {
  /** The node has taken it. */
  readonly began: () => void;
  /** The result of a notification, JSON text in UTF-8 bytes. */
  readonly told: (result: string) => void;
  /**
   * It is no more: the node refused it, or the connection broke. Told once, and not where it was ended from here.
   * `reason` holds no secret.
   */
  readonly ended: (reason: string) => void;
};

/** The subscriptions of a slot network's node over one WebSocket, which is open while there are any. */
export class WsStream {
  readonly #options: ConstructorParameters<typeof WsConnection>[0];
  readonly #parts: WsStreamParts;
  readonly #calls: WsCalls;
  #connection: WsConnection | undefined;
  readonly #all = new Set<NodeSubscription>();
  /** Those that the node has taken, by its ids. */
  readonly #taken = new Map<string, NodeSubscription>();

  constructor(options: WsStreamOptions, parts: WsStreamParts) {
    const { url: text, headers, maxResponseBytes } = options;
    const url = new URL(text);
    const sent = { ...headers, ...basicAuth(url) };
    const secrets = new OwnSecrets(url, sent);
    url.hash = "";
    const dialer = wsDialer(url, options);
    this.#options = { url, headers: sent, maxMessageBytes: maxResponseBytes, dialer };
    this.#parts = parts;
    this.#calls = new WsCalls({ timers: parts.timers, secrets });
  }

  /** The listener is told later than this returns. Returns what ends it. */
  subscribe(request: StreamRequest, listener: StreamListener): () => void {
    const one: NodeSubscription = { request, listener, id: undefined };
    this.#all.add(one);
    if (this.#connection === undefined) this.#connect();
    else if (this.#connection.isOpen) this.#ask(one);
    return () => this.#end(one);
  }

  /** All of them are over. */
  close(): void {
    this.#forget();
    this.#disconnect();
  }

  /** What is in the air has nobody who waits for it. */
  #disconnect(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    void connection?.close();
    this.#calls.fail("WS_NOT_OPEN");
  }

  #forget(): void {
    this.#all.clear();
    this.#taken.clear();
  }

  #connect(): void {
    const connection: WsConnection = new WsConnection(this.#options, {
      ...this.#parts,
      listener: {
        opened: () => {
          for (const one of this.#all) this.#ask(one);
        },
        received: (message) => this.#received(connection, message),
        ended: (code) => {
          if (this.#connection === connection) this.#broke(code);
        },
      },
    });
    this.#connection = connection;
  }

  #broke(code: string): void {
    this.#connection = undefined;
    const all = [...this.#all];
    this.#forget();
    this.#calls.fail(code);
    for (const { listener } of all) listener.ended(code);
  }

  #ask(one: NodeSubscription): void {
    this.#call(one.request, (answer) => {
      if (!this.#all.has(one)) {
        // Nobody wants it any more.
        if (answer.kind === "result") this.#leave(one.request, wholeText(answer.result));
        return;
      }
      if (answer.kind === "result") {
        one.id = wholeText(answer.result).trim();
        this.#taken.set(one.id, one);
        one.listener.began();
        return;
      }
      this.#all.delete(one);
      one.listener.ended(answer.kind === "error" ? String(answer.error.message) : answer.kind);
      this.#closeUnused();
    });
  }

  #end(one: NodeSubscription): void {
    if (!this.#all.delete(one)) return;
    if (one.id !== undefined) {
      this.#taken.delete(one.id);
      this.#leave(one.request, one.id);
    }
    this.#closeUnused();
  }

  #leave({ method }: StreamRequest, id: string): void {
    if (this.#connection?.isOpen !== true) return;
    const request = { method: method.replace("Subscribe", "Unsubscribe"), params: `[${id}]` };
    this.#call(request, () => undefined);
  }

  #call(request: StreamRequest, done: (answer: UpstreamAnswer) => void): void {
    const call = this.#calls.begin(ASK_MS, { answered: done });
    this.#connection?.send(callText(call.id, request));
  }

  #closeUnused(): void {
    if (this.#all.size === 0) this.#disconnect();
  }

  #received(connection: WsConnection, message: Buffer): void {
    const frame = readFrame(message);
    if (frame.kind === "answer") this.#calls.answer(frame.id, message);
    else if (frame.kind === "anonymous_error") this.#calls.answerOnly(message);
    else if (frame.kind === "garbage") connection.end("WS_GARBAGE");
    else this.#notified(message);
  }

  #notified(message: Buffer): void {
    const params = memberOf(message, 0, "params");
    if (params === undefined) return;
    const id = memberOf(message, params.valueStart, "subscription");
    const result = memberOf(message, params.valueStart, "result");
    if (id === undefined || result === undefined) return;
    this.#taken.get(textOf(message, id))?.listener.told(textOf(message, result));
  }
}

type NodeSubscription = {
  readonly request: StreamRequest;
  readonly listener: StreamListener;
  /** JSON text; undefined before the node has said it. */
  id: string | undefined;
};

type Value = { readonly valueStart: number; readonly valueEnd: number };

const memberOf = (json: Buffer, at: number, name: string): Value | undefined =>
  scanObject(json, at)?.members.find(({ key }) => key === name);

const textOf = (json: Buffer, { valueStart, valueEnd }: Value): string =>
  json.toString("latin1", valueStart, valueEnd);
