import type { Buffer } from "node:buffer";
import type { Duplex } from "node:stream";
import type { RawData, WebSocket } from "ws";
import { type Piece, sizeOf } from "../../lib/bytes.ts";
import type { MonotonicMs, Time } from "../../lib/clock.ts";
import type { Holding, MemoryBudget } from "../../lib/memory-budget.ts";
import type { TrafficMetrics } from "../../telemetry/metrics.ts";
import { freeableCopy, freeMemory } from "../../wire/bytes/free-memory.ts";
import type { EventLoop } from "../../wire/event-loop.ts";
import { writeAnswer } from "../../wire/server/answer-bytes.ts";
import { CALL_BYTES, holdLarge } from "../../wire/server/held-pieces.ts";
import { pausesAfter } from "../../wire/server/refusal-pause.ts";
import { textFrameHead } from "../../wire/server/websocket-frames.ts";
import type { Session } from "../call.ts";
import { answerMessage } from "../messages.ts";
import type { Pipeline } from "../pipeline.ts";
import { CLOSE, type CloseReason, slowReader } from "./close-codes.ts";

/** Unsent bytes at which the client's messages are no longer read. */
const FULL_BYTES = 1024 * 1024;
/** Unsent bytes at which one more answer closes the connection; one answer may be larger. */
const BURST_BYTES = 32 * 1024 * 1024;
/** A reader that takes nothing for so long does not read any more. */
const STALLED_MS = 20_000;
/** A message has to be there as a whole by then, or by the next look at the connection. */
const UNFINISHED_MS = 25_000;
/** The head of a client's ping or pong, with its mask: RFC 6455, 5.2. */
const CONTROL_HEAD_BYTES = 6;
const PING_MS = 30_000;
const IDLE_MS = 3_600_000;

/** `wire`: what it was made of, to which frames may be written. */
export type ClientSocket = { readonly socket: WebSocket; readonly wire: Duplex };

type Parts = {
  readonly memory: MemoryBudget;
  readonly pipeline: Pipeline;
  readonly traffic: TrafficMetrics;
  readonly clock: Time;
  readonly loop: EventLoop;
};

/** One client's WebSocket: each message a call or batch, answered as soon as its answer is there. */
export class WebSocketConnection {
  /** Another one once its network was replaced; messages that came before keep theirs. */
  session: Session;
  readonly #socket: WebSocket;
  readonly #wire: Duplex;
  readonly #parts: Parts;
  readonly #maxCallsInAir: number;
  /** Messages that came while reading was to stop. */
  readonly #waiting: Buffer[] = [];
  #inAir = 0;
  /** It was told to ask less often. */
  #isResting = false;
  /** A message waits for a later turn of the event loop. */
  #isDeferred = false;
  #closing: CloseReason | undefined;
  #lastMessageMs: number;
  #lastPingMs: number;
  #awaitsPong = false;
  #unsentBytes = 0;
  #unsentSinceMs: MonotonicMs;
  readonly #holding: Holding;
  /** The bytes of messages that wait, and of those whose calls are in flight. */
  #messageBytes = 0;
  /** The bytes of a message that is being read, and when it began. */
  #unfinishedBytes = 0;
  #unfinishedSinceMs: MonotonicMs;
  #unfinished: Buffer[] = [];
  /** The reader of its frames, where that is not the library. */
  #frames: { readonly free: () => void } | undefined;

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
    this.#unfinishedSinceMs = this.#lastMessageMs;
    this.#holding = parts.memory.open(options.session.identity.accountId, this.#onTooMuch);
    wire.once("close", () => this.#holding.close());
    // Before the library, which tells of a message as soon as its last byte is there.
    wire.prependListener("data", (bytes: Buffer) => this.#hasRead(bytes));
    socket.on("message", (data: RawData) => {
      this.#unfinishedBytes = 0;
      this.#unfinished = [];
      this.receive(data as Buffer);
    });
    wire.on("drain", () => {
      this.#holding.clear();
      this.#count();
      if (this.#closing !== undefined) return;
      this.#work();
      this.session.subscriptions?.advance();
    });
    socket.on("ping", (data: Buffer) => {
      this.#unfinishedBytes -= CONTROL_HEAD_BYTES + data.length;
      this.#lastMessageMs = parts.clock.monotonic();
    });
    socket.on("pong", (data: Buffer) => {
      this.#unfinishedBytes -= CONTROL_HEAD_BYTES + data.length;
      this.#awaitsPong = false;
    });
  }

  /** The library has so many bytes more, of which it may tell something at once. */
  #hasRead(bytes: Buffer): void {
    if (this.#unfinishedBytes <= 0) {
      this.#unfinishedBytes = 0;
      this.#unfinished = [];
      this.#unfinishedSinceMs = this.#parts.clock.monotonic();
    }
    this.#unfinishedBytes += bytes.length;
    this.#unfinished.push(bytes);
    this.#count();
  }

  /** Counts the bytes held of a message that is longer than a read. `ws` does not know of it. */
  holds(bytes: number, frames: { readonly free: () => void }): void {
    this.#frames = frames;
    if (this.#unfinishedBytes <= 0) this.#unfinishedSinceMs = this.#parts.clock.monotonic();
    this.#unfinishedBytes = bytes;
    this.#count();
  }

  readonly #onRested = (): void => {
    this.#isResting = false;
    if (this.#closing === undefined) this.#work();
  };

  readonly #onTurn = (): void => {
    this.#isDeferred = false;
    if (this.#closing === undefined) this.#work();
  };

  /** Others need the memory. */
  readonly #onTooMuch = (): void => {
    const unfinished = this.#unfinished;
    this.#unfinished = [];
    this.terminate();
    freeMemory(unfinished);
    this.#frames?.free();
  };

  /** Counts the bytes that are held now, beside the large answers that wait. */
  #count(): void {
    const unfinished = Math.max(this.#unfinishedBytes, 0);
    const unsent = Math.max(this.#wire.writableLength - this.#holding.commonBytes, 0);
    this.#holding.set(this.#messageBytes + this.#inAir * CALL_BYTES + unfinished + unsent);
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
      this.close(slowReader(this.session.subscriptions?.lateCursor));
      return;
    }
    if (this.#unfinishedBytes > 0 && now - this.#unfinishedSinceMs >= UNFINISHED_MS) {
      this.close(CLOSE.slowSender);
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
    if (this.#waiting.length === 0 && this.#mayRead() && !this.#defers(message)) {
      this.#answer(message);
    } else {
      this.#waiting.push(freeableCopy(message));
      this.#messageBytes += message.length;
      this.#count();
    }
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
      this.#messageBytes -= message.length;
      this.#answer(message);
      this.#count();
      const next = this.#waiting[0];
      if (next !== undefined) this.#defers(next);
    }
    if (!this.#socket.isPaused) this.#socket.pause();
  }

  /** Whether it has to wait for a later turn of the event loop. */
  #defers(message: Buffer): boolean {
    this.#isDeferred ||= this.#parts.loop.clientReads.defers(this.#onTurn, message.length);
    return this.#isDeferred;
  }

  #mayRead(): boolean {
    if (this.#isResting || this.#isDeferred) return false;
    return this.#inAir < this.#maxCallsInAir && !this.isFull;
  }

  #answer(message: Buffer): void {
    const { pipeline, loop } = this.#parts;
    const { session } = this;
    const parts = { session, pipeline, turns: loop.clientReads, holding: this.#holding };
    const sizeBytes = message.length;
    let waited = 0;
    waited = answerMessage(message, parts, ({ pieces, exhausted, status, opened }) => {
      const answered = { status, messageBytes: sizeBytes };
      if (pausesAfter(answered, this.#onRested, this.#parts.clock)) this.#isResting = true;
      this.#inAir -= waited;
      if (waited > 0) {
        this.#messageBytes -= sizeBytes;
        this.#count();
      }
      this.send(pieces);
      if (opened !== undefined) for (const subscription of opened) subscription.begin();
      if (exhausted) this.finish(CLOSE.creditsGone);
      else if (this.#closing !== undefined) this.finish(this.#closing);
      else if (waited > 0) this.#work();
    });
    this.#inAir += waited;
    if (waited === 0) return;
    this.#messageBytes += sizeBytes;
    this.#count();
  }

  get isFull(): boolean {
    return this.#socket.bufferedAmount >= FULL_BYTES;
  }

  send(pieces: readonly Piece[]): void {
    const socket = this.#socket;
    if (pieces.length === 0 || socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > BURST_BYTES) {
      this.close(slowReader(this.session.subscriptions?.lateCursor));
      return;
    }
    const sizeBytes = sizeOf(pieces);
    this.#parts.traffic.sent.inc(sizeBytes);
    // Past the library, which needs two buffers for what is one write here. Its own frames come
    // before or after this one, since it writes each at once, too.
    const head = textFrameHead(sizeBytes);
    if (writeAnswer(this.#wire, { head, pieces }, this.#parts.loop)) return;
    holdLarge(this.#holding, pieces);
    this.#count();
  }
}
