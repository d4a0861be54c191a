import type { Socket } from "node:net";
import process from "node:process";
import { addressOwner } from "../../lib/address-owner.ts";
import type { Piece } from "../../lib/bytes.ts";
import type { MonotonicMs } from "../../lib/clock.ts";
import type { Holding } from "../../lib/memory-budget.ts";
import { freeableCopy } from "../bytes/free-memory.ts";
import { isRead } from "../bytes/read-buffer.ts";
import { writeAnswer } from "./answer-bytes.ts";
import { statusLineOf } from "./answer-ends.ts";
import type { BodyListener } from "./exchange.ts";
import { holdPieces } from "./held-pieces.ts";
import { PlainBody } from "./plain-body.ts";
import type { PlainConnectionOwner } from "./plain-connection-owner.ts";
import { type AnswerHead, PlainExchange } from "./plain-exchange.ts";
import { type PlainHead, readHead } from "./plain-head.ts";
import { PlainPatience } from "./plain-patience.ts";
import { type ConnectionFault, endWithAnswer } from "./raw-answer.ts";
import { pausesAfter } from "./refusal-pause.ts";
import { SocketReader } from "./socket-reader.ts";
import { isStrangers } from "./stranger.ts";

/**
 * A connection as long as its requests are plain: one after another, each answered before the next
 * is looked at. With the first bytes that begin no plain request node:http takes over.
 */
export class PlainConnection {
  readonly #reader: SocketReader;
  /** In place of the one that was accepted. */
  readonly socket: Socket;
  readonly holding: Holding;
  readonly #owner: PlainConnectionOwner;
  readonly #body = new PlainBody();
  /** The last request's. */
  #head: PlainHead | undefined;
  /** The request that has no answer yet. */
  #exchange: PlainExchange | undefined;
  /** Is called with its body. */
  #done: BodyListener | undefined;
  /** The client has not taken all of the last answer. */
  #draining = false;
  /** No more is read. */
  #paused = false;
  /** It was told to ask less often. */
  #resting = false;
  /** A request that has come waits for a later turn of the event loop. */
  #isDeferred = false;
  /** Came while an answer was owed, or in a turn that had lasted for long enough: theirs is a later one. */
  #waiting: Buffer | undefined;
  #ended = false;
  #left = false;
  readonly #patience: PlainPatience;

  constructor(accepted: Socket, owner: PlainConnectionOwner) {
    this.#owner = owner;
    this.#patience = new PlainPatience(owner.stepEndMs);
    this.#reader = new SocketReader(accepted, (bytes) => this.#onData(bytes), owner.loop);
    const { socket } = this.#reader;
    this.socket = socket;
    this.holding = owner.hold(addressOwner(socket.remoteAddress), this.#onTooMuch);
    socket.on("end", this.#onEnd);
    socket.on("drain", this.#onDrain);
    socket.on("timeout", this.#onTimeout);
    socket.on("error", this.#onError);
    socket.on("close", this.#onClose);
  }

  get peer(): string {
    return this.socket.remoteAddress ?? "";
  }

  /** Between two requests. */
  get idle(): boolean {
    const isOwed = this.#exchange !== undefined || this.#isDeferred;
    return !isOwed && this.#body.missingBytes === 0 && !this.#draining;
  }

  /** Ends what has taken too long; called now and then. */
  check(nowMs: MonotonicMs): void {
    const isBody = this.#body.missingBytes > 0;
    const awaited = isBody ? "body" : this.idle ? "request" : "nothing";
    const over = this.#patience.isOver(awaited, nowMs, this.#owner.limits);
    if (over === "too_slow") this.#giveUp(over);
    else if (over === "idle") this.socket.destroy();
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** For the exchange. */
  readBody(exchange: PlainExchange, done: BodyListener): void {
    if (this.#exchange !== exchange) return;
    if (this.#body.missingBytes === 0) {
      done(exchange, this.#body.whole());
    } else {
      this.#done = done;
      this.#resume();
    }
  }

  /** For the exchange. */
  answer(exchange: PlainExchange, { status, fields }: AnswerHead, pieces: readonly Piece[]): void {
    if (this.#exchange !== exchange) return;
    this.#exchange = undefined;
    this.#done = undefined;
    if (this.#body.missingBytes === 0) this.#patience.sinceMs = this.#owner.stepEndMs;
    this.#body.drop();
    const last = this.#ended || this.#owner.stopping;
    const head = statusLineOf(status) + fields + this.#owner.headEnd(last);
    this.#draining = !writeAnswer(this.socket, { head, pieces }, this.#owner.loop);
    this.#letGo();
    if (this.#draining) holdPieces(this.holding, pieces);
    // Node knows how to tell a slow reader from one that takes nothing.
    if (this.#draining) this.socket.setTimeout(this.#owner.limits.stalledMs);
    if (last) {
      this.#leave();
      this.socket.destroySoon();
      return;
    }
    this.#patience.isStranger = isStrangers(status);
    const answered = { status, messageBytes: this.#head?.bodyBytes ?? 0 };
    this.#resting = pausesAfter(answered, this.#onRested, this.#owner.loop.clock);
    // What comes meanwhile stays with the system: read now, it would be copied to wait.
    if (this.#resting) this.#pause();
    else if (!this.#draining) this.#resume();
  }

  /** The bytes are overwritten afterwards: what is kept of them is copied. */
  #onData(bytes: Buffer): void {
    let rest: Buffer | undefined = bytes;
    while (rest !== undefined && !this.#left) rest = this.#take(rest);
  }

  /** Takes what belongs together; returns what comes after it. */
  #take(bytes: Buffer): Buffer | undefined {
    if (this.#body.missingBytes > 0) return this.#takeBody(bytes);
    if (this.idle && !this.#resting && !this.#defers(bytes.length)) return this.#takeHead(bytes);
    this.#pause();
    this.#wait(bytes);
    return undefined;
  }

  #wait(bytes: Buffer): void {
    this.#waiting = isRead(bytes) ? freeableCopy(bytes) : bytes;
    this.holding.add(bytes.length);
  }

  #defers(bytes: number): boolean {
    this.#isDeferred = this.#owner.loop.clientReads.defers(this.#onTurn, bytes);
    return this.#isDeferred;
  }

  readonly #onTurn = (): void => {
    this.#isDeferred = false;
    if (this.#left) return;
    if (this.#exchange !== undefined) this.#done?.(this.#exchange, this.#body.whole());
    else if (!this.#draining) this.#resume();
  };

  #takeHead(bytes: Buffer): Buffer | undefined {
    const head = this.#head?.isAtStartOf(bytes) ? this.#head : readHead(bytes);
    this.#head = head;
    if (head === undefined) {
      this.#handOver(bytes);
      return undefined;
    }
    this.#patience.hasSpoken = true;
    this.#patience.sinceMs = this.#owner.stepEndMs;
    const rest = this.#body.begin(bytes, head.sizeBytes, head.bodyBytes);
    this.#exchange = new PlainExchange(head, this);
    this.#owner.begin(this.#exchange);
    // Nobody's body is read before it is known who that is.
    const unknown = this.#exchange !== undefined && this.#done === undefined;
    if (unknown && this.#body.missingBytes > 0) this.#pause();
    this.#body.own();
    if (this.#exchange !== undefined) this.holding.add(this.#body.receivedBytes(head.bodyBytes));
    return rest;
  }

  #takeBody(bytes: Buffer): Buffer | undefined {
    const rest = this.#body.add(bytes);
    if (this.#exchange !== undefined) this.holding.set(this.#body.keptBytes);
    if (this.#body.missingBytes > 0) return rest;
    if (this.#exchange === undefined) this.#rest();
    else if (this.#defers(this.#body.keptBytes)) {
      this.#pause();
      if (rest !== undefined) this.#wait(rest);
      return undefined;
    } else this.#done?.(this.#exchange, this.#body.whole());
    return rest;
  }

  #pause(): void {
    this.#paused = true;
    this.socket.pause();
  }

  #resume(): void {
    if (!this.#paused || this.#resting || this.#isDeferred) return;
    this.#paused = false;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) this.holding.add(-waiting.length);
    if (waiting === undefined) this.socket.resume();
    // Not from within the answer to the request before: there may be hundreds.
    else process.nextTick(this.#goOn, waiting);
  }

  readonly #goOn = (waiting: Buffer): void => {
    this.#onData(waiting);
    if (!this.#paused) this.socket.resume();
  };

  readonly #onRested = (): void => {
    this.#resting = false;
    if (!this.#draining) this.#resume();
  };

  readonly #onDrain = (): void => {
    this.#draining = false;
    this.#letGo();
    this.socket.setTimeout(0);
    if (this.idle) this.#rest();
    else this.#resume();
  };

  /** The client sends no more; what it has asked for it still gets. */
  readonly #onEnd = (): void => {
    this.#ended = true;
    if (this.#body.missingBytes > 0) this.#giveUp("no_request");
    else if (this.idle) this.#end();
  };

  /** Nothing is owed any more for what came so far. */
  #rest(): void {
    this.#patience.sinceMs = this.#owner.stepEndMs;
    if (this.#ended || this.#owner.stopping) this.#end();
    else this.#resume();
  }

  #end(): void {
    this.#leave();
    this.socket.end();
  }

  /** A request that will not come to its end; one that has its answer gets no other. */
  #giveUp(fault: ConnectionFault): void {
    const answered = this.#patience.hasSpoken && this.#exchange === undefined;
    this.#exchange = undefined;
    this.#leave();
    // Bytes that still come are not even copied.
    this.#reader.divert(() => undefined);
    if (answered) this.socket.destroy();
    else endWithAnswer(this.socket, this.#owner.faults[fault], this.#owner.loop.clock);
  }

  /** Nothing of the request and its answer is held any more. */
  #letGo(): void {
    this.holding.clear();
    if (this.#waiting !== undefined) this.holding.set(this.#waiting.length);
  }

  /** Others need the memory. */
  readonly #onTooMuch = (): void => {
    if (this.#body.missingBytes > 0) this.#body.free();
    this.#waiting = undefined;
    this.#giveUp("memory_exhausted");
  };

  #handOver(bytes: Buffer): void {
    this.#leave();
    this.holding.close();
    this.socket.off("timeout", this.#onTimeout);
    this.socket.off("error", this.#onError);
    this.socket.off("close", this.#onClose);
    this.#owner.handOver(this.#reader, Buffer.from(bytes));
  }

  #leave(): void {
    this.#left = true;
    this.#reader.release();
    this.socket.off("end", this.#onEnd);
    this.socket.off("drain", this.#onDrain);
    this.#owner.forget(this);
  }

  readonly #onTimeout = (): void => {
    this.socket.destroy();
  };

  /** `close` follows; what is in the air goes on without anybody to answer. */
  readonly #onError = (): void => undefined;

  readonly #onClose = (): void => {
    this.#exchange = undefined;
    this.#leave();
    this.holding.close();
  };
}
