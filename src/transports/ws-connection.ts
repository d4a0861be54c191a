import { WebSocket } from "ws";
import type { Clock } from "../lib/clock.ts";
import type { Timer, Timers } from "../lib/timer-wheel.ts";
import type { Dialer } from "../wire/client/dialer.ts";

const HANDSHAKE_MS = 5_000;
const PING_MS = 15_000;
/** A node that says nothing for so long, not even a pong, is not there. */
const SILENT_MS = 30_000;
/** How long a node may take to end a connection that was closed. */
const CLOSING_MS = 2_000;
/** The library keeps its limit in 32 bits. */
const MOST_MESSAGE_BYTES = 2 ** 31 - 1;

export type WsConnectionOptions = {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxMessageBytes: number;
  /** Its sockets, where they are not the library's own. */
  readonly dialer?: Pick<Dialer, "dial"> | undefined;
};

export type WsConnectionParts = {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  readonly listener: {
    readonly opened: () => void;
    readonly received: (message: Buffer) => void;
    /**
     * Told once, opened before or not. `code` is a name: the system's, `HTTP_` and the status that
     * came in place of a WebSocket, `WS_CLOSED_` and the node's code, or what we found wrong.
     */
    readonly ended: (code: string) => void;
  };
};

/** One WebSocket to a node, from the handshake to its end; it is not opened again. */
export class WsConnection {
  readonly #socket: WebSocket;
  readonly #parts: WsConnectionParts;
  #timer: Timer;
  #hasEnded = false;
  #heardMs = 0;
  #pingedMs = 0;

  constructor(options: WsConnectionOptions, parts: WsConnectionParts) {
    const { url, headers, maxMessageBytes, dialer } = options;
    this.#parts = parts;
    const limits = {
      maxPayload: Math.min(maxMessageBytes, MOST_MESSAGE_BYTES),
      // Apart from the rest, because the library's types do not know it yet.
      closeTimeout: CLOSING_MS,
    };
    const own = dialer && { createConnection: () => dialer.dial() };
    const socket = new WebSocket(url, { headers, perMessageDeflate: false, ...limits, ...own });
    this.#socket = socket;
    this.#timer = parts.timers.set(HANDSHAKE_MS, () => this.end("WS_HANDSHAKE_TIMEOUT"));
    socket.on("open", () => this.#opened());
    socket.on("message", (data) => this.#received(data as Buffer));
    socket.on("pong", () => this.#hear());
    socket.on("ping", () => this.#hear());
    socket.on("unexpected-response", (_, { statusCode }) => this.end(`HTTP_${statusCode}`));
    // The text of an error may hold the address.
    socket.on("error", (error) => this.end("code" in error ? String(error.code) : error.name));
    socket.on("close", (code) => this.end(`WS_CLOSED_${code}`));
  }

  get isOpen(): boolean {
    return !this.#hasEnded && this.#socket.readyState === WebSocket.OPEN;
  }

  /** Bytes that wait for the node to read. */
  get unsentBytes(): number {
    return this.#socket.bufferedAmount;
  }

  send(text: string): void {
    this.#socket.send(text);
  }

  /** Cuts the connection for this reason. */
  end(code: string): void {
    if (this.#hasEnded) return;
    this.#drop();
    this.#socket.terminate();
    this.#parts.listener.ended(code);
  }

  /** Takes leave of the node; the listener is told nothing any more. Resolves when it is over. */
  async close(): Promise<void> {
    if (this.#hasEnded) return;
    this.#drop();
    const closed = new Promise((resolve) => this.#socket.once("close", resolve));
    if (this.#socket.readyState === WebSocket.CONNECTING) this.#socket.terminate();
    else this.#socket.close(1000);
    await closed;
  }

  #drop(): void {
    this.#hasEnded = true;
    this.#parts.timers.clear(this.#timer);
  }

  #opened(): void {
    if (this.#hasEnded) return;
    this.#parts.timers.clear(this.#timer);
    this.#hear();
    this.#pingedMs = this.#heardMs;
    this.#watch();
    this.#parts.listener.opened();
  }

  #received(message: Buffer): void {
    if (this.#hasEnded) return;
    this.#hear();
    this.#parts.listener.received(message);
  }

  #hear(): void {
    this.#heardMs = this.#parts.clock.monotonic();
  }

  #watch(): void {
    const now = this.#parts.clock.monotonic();
    if (now - this.#heardMs >= SILENT_MS) {
      this.end("WS_SILENT");
      return;
    }
    if (now - this.#pingedMs >= PING_MS) {
      this.#pingedMs = now;
      this.#socket.ping();
    }
    const next = Math.min(this.#pingedMs + PING_MS, this.#heardMs + SILENT_MS) - now;
    this.#timer = this.#parts.timers.set(next, () => this.#watch());
  }
}
