import { Buffer } from "node:buffer";
import type { RawData, WebSocket } from "ws";
import { asBytes, type Piece, sizeOf } from "../lib/bytes.ts";
import type { Clock } from "../lib/clock.ts";
import type { TrafficMetrics } from "../telemetry/metrics.ts";
import { joinPieces } from "./answer-bytes.ts";
import type { Session } from "./call.ts";
import { answerMessage } from "./messages.ts";
import type { Pipeline } from "./pipeline.ts";

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
/** The frame's own head is not counted. */
const NEARLY_FULL_BYTES = FULL_BYTES / 2;
/** Unsent bytes at which one more answer closes the connection; one answer may be larger. */
const BURST_BYTES = 32 * 1024 * 1024;
/** A reader that takes nothing for so long does not read any more. */
const STALLED_MS = 20_000;
const PING_MS = 30_000;
const IDLE_MS = 3_600_000;
/** Sent in pieces from here on, so that a large answer is not copied into one buffer. */
const FRAGMENTED_BYTES = 1024 * 1024;

type Parts = {
  readonly pipeline: Pipeline;
  readonly traffic: TrafficMetrics;
  readonly clock: Clock;
};

/** One client's WebSocket: each message a call or batch, answered as soon as its answer is there. */
export class WebSocketConnection {
  readonly session: Session;
  readonly #socket: WebSocket;
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
    socket: WebSocket,
    options: { readonly session: Session; readonly maxCallsInAir: number },
    parts: Parts,
  ) {
    this.session = options.session;
    this.#socket = socket;
    this.#parts = parts;
    this.#maxCallsInAir = options.maxCallsInAir;
    this.#lastMessageMs = parts.clock.monotonic();
    this.#lastPingMs = this.#lastMessageMs;
    this.#unsentSinceMs = this.#lastMessageMs;
    socket.on("message", (data: RawData) => this.#receive(data as Buffer));
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

  #receive(message: Buffer): void {
    if (this.#closing !== undefined) return;
    this.#parts.traffic.received.inc(message.length);
    this.#lastMessageMs = this.#parts.clock.monotonic();
    this.#waiting.push(message);
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
    // Whoever waits for room is called by the answer that left none. To be called costs a tick.
    const isBehind = socket.bufferedAmount + sizeBytes >= NEARLY_FULL_BYTES;
    const frames = sizeBytes < FRAGMENTED_BYTES ? [inOne(pieces)] : pieces;
    for (const [index, frame] of frames.entries()) {
      const fin = index === frames.length - 1;
      socket.send(asBytes(frame), { binary: false, fin }, fin && isBehind ? this.#sent : undefined);
    }
  }

  readonly #sent = (): void => {
    if (this.#closing === undefined) this.#work();
  };
}

function inOne(pieces: readonly Piece[]): Buffer {
  const joined = joinPieces(pieces);
  const isOne = typeof joined === "string" || Buffer.isBuffer(joined);
  return isOne ? asBytes(joined) : Buffer.concat(joined.map(asBytes));
}
