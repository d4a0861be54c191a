import { Buffer } from "node:buffer";
import type { Duplex } from "node:stream";
import type { RawData, WebSocket } from "ws";
import { type Piece, sizeOf } from "../lib/bytes.ts";
import type { Clock } from "../lib/clock.ts";
import type { TrafficMetrics } from "../telemetry/metrics.ts";
import { writeAnswer } from "./answer-bytes.ts";
import type { Session } from "./call.ts";
import { answerMessage } from "./messages.ts";
import type { Pipeline } from "./pipeline.ts";
import { textFrameHead } from "./websocket-frames.ts";

/** Close codes: RFC 6455 and its registry below 4000, our own above (design.md). */
export const CLOSE = {
  idle: { code: 1000, reason: "no message for an hour" },
  goingAway: { code: 1001, reason: "the gateway is stopping" },
  slowReader: { code: 1013, reason: "answers are not read" },
  keyEnded: { code: 4401, reason: "the API key has ended" },
  creditsGone: { code: 4402, reason: "the credits of the day are used up" },
  suspended: { code: 4403, reason: "account suspended" },
  notAllowed: { code: 4403, reason: "the key is no longer allowed from here" },
} as const;

type CloseReason = { readonly code: number; readonly reason: string };

/** Unsent bytes at which the client's messages are no longer read. */
const FULL_BYTES = 1024 * 1024;
/** Unsent bytes at which one more answer closes the connection; one answer may be larger. */
const BURST_BYTES = 32 * 1024 * 1024;
/** A reader that takes nothing for so long does not read any more. */
const STALLED_MS = 20_000;
const PING_MS = 30_000;
const IDLE_MS = 3_600_000;

/** `wire`: what it was made of, to which frames may be written. */
export type ClientSocket = { readonly socket: WebSocket; readonly wire: Duplex };

type Parts = {
  readonly pipeline: Pipeline;
  readonly traffic: TrafficMetrics;
  readonly clock: Clock;
};

/** One client's WebSocket: each message a call or batch, answered as soon as its answer is there. */
export class WebSocketConnection {
  readonly session: Session;
  readonly #socket: WebSocket;
  readonly #wire: Duplex;
  readonly #parts: Parts;
  readonly #maxCallsInAir: number;
  /** Messages that came while reading was to stop. */
  readonly #waiting: Buffer[] = [];
  #inAir = 0;
  #closing: CloseReason | undefined;
  #lastMessageMs: number;
  #lastPingMs: number;
  #awaitsPong = false;
  #unsentBytes = 0;
  #unsentSinceMs: number;

  constructor(
    { socket, wire }: ClientSocket,
    options: { readonly session: Session; readonly maxCallsInAir: number },
    parts: Parts,
  ) {
    this.session = options.session;
    this.#socket = socket;
    this.#wire = wire;
    this.#parts = parts;
    this.#maxCallsInAir = options.maxCallsInAir;
    this.#lastMessageMs = parts.clock.monotonic();
    this.#lastPingMs = this.#lastMessageMs;
    this.#unsentSinceMs = this.#lastMessageMs;
    socket.on("message", (data: RawData) => this.receive(data as Buffer));
    wire.on("drain", () => {
      if (this.#closing === undefined) this.#work();
    });
    socket.on("ping", () => {
      this.#lastMessageMs = parts.clock.monotonic();
    });
    socket.on("pong", () => {
      this.#awaitsPong = false;
    });
  }

  /** At once: calls in the air are not answered any more. */
  close(reason: CloseReason): void {
    this.#closing = reason;
    this.#waiting.length = 0;
    this.#socket.resume();
    this.#socket.close(reason.code, reason.reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  /** Calls in the air are still answered, no new ones are read; then the socket is closed. */
  finish(reason: CloseReason): void {
    this.#closing ??= reason;
    this.#waiting.length = 0;
    if (this.#inAir === 0) this.close(this.#closing);
    else this.#socket.pause();
  }

  /** Called every few seconds: pings, and closes what is idle, gone or does not read. */
  sweep(): void {
    const now = this.#parts.clock.monotonic();
    const unsent = this.#socket.bufferedAmount;
    if (unsent === 0 || unsent < this.#unsentBytes) this.#unsentSinceMs = now;
    this.#unsentBytes = unsent;
    if (now - this.#unsentSinceMs >= STALLED_MS) {
      this.close(CLOSE.slowReader);
      return;
    }
    if (now - this.#lastMessageMs >= IDLE_MS) {
      this.close(CLOSE.idle);
      return;
    }
    if (now - this.#lastPingMs < PING_MS) return;
    // A paused socket does not read the pong.
    if (this.#awaitsPong && !this.#socket.isPaused) {
      this.terminate();
      return;
    }
    this.#lastPingMs = now;
    this.#awaitsPong = true;
    this.#socket.ping();
  }

  /** A client's message, whose bytes may be overwritten afterwards. */
  receive(message: Buffer): void {
    const socket = this.#socket;
    if (this.#closing !== undefined || socket.readyState !== socket.OPEN) return;
    this.#parts.traffic.received.inc(message.length);
    this.#lastMessageMs = this.#parts.clock.monotonic();
    if (this.#waiting.length === 0 && this.#mayRead()) this.#answer(message);
    else this.#waiting.push(Buffer.from(message));
    this.#work();
  }

  /** Answers what waits, as far as the limits allow; beyond them the socket is not read. */
  #work(): void {
    while (this.#mayRead()) {
      if (this.#closing !== undefined) return;
      const message = this.#waiting.shift();
      if (message === undefined) {
        if (this.#socket.isPaused) this.#socket.resume();
        return;
      }
      this.#answer(message);
    }
    if (!this.#socket.isPaused) this.#socket.pause();
  }

  #mayRead(): boolean {
    return this.#inAir < this.#maxCallsInAir && this.#socket.bufferedAmount < FULL_BYTES;
  }

  #answer(message: Buffer): void {
    const parts = { session: this.session, pipeline: this.#parts.pipeline };
    let waited = 0;
    waited = answerMessage(message, parts, ({ pieces, exhausted }) => {
      this.#inAir -= waited;
      this.#send(pieces);
      if (exhausted) this.finish(CLOSE.creditsGone);
      else if (this.#closing !== undefined) this.finish(this.#closing);
      else if (waited > 0) this.#work();
    });
    this.#inAir += waited;
  }

  #send(pieces: readonly Piece[]): void {
    const socket = this.#socket;
    if (pieces.length === 0 || socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > BURST_BYTES) {
      this.close(CLOSE.slowReader);
      return;
    }
    const sizeBytes = sizeOf(pieces);
    this.#parts.traffic.sent.inc(sizeBytes);
    // Past the library, which needs two buffers for what is one write here. Its own frames come
    // before or after this one, since it writes each at once, too.
    writeAnswer(this.#wire, textFrameHead(sizeBytes), pieces);
  }
}
