import type { Socket } from "node:net";
import { READ_BUFFER } from "../bytes/read-buffer.ts";
import type { EventLoop } from "../event-loop.ts";
import { writeText } from "../node-inside.ts";
import { SocketReads } from "../socket-reads.ts";
import type { Nearness } from "./busy-poll.ts";
import type { Dialer } from "./dialer.ts";
import type { Exchange, Outcome } from "./exchange.ts";
import { type Progress, ResponseReader } from "./response-reader.ts";

/** Where the server doesn't say how long it keeps idle connections. */
const REST_MS = 4000;
/** Idle connections are closed sooner than the server would: it may close just as a request is sent. */
const SOONER_MS = 1000;
const MAX_REST_MS = 600_000;

/** Why a connection ended; `exchange` is what it carried, which nobody has answered. */
export type Ending =
  /** We ended it. */
  | { readonly why: "unneeded" }
  /** The node ended it while it rested. */
  | { readonly why: "left" }
  | { readonly why: "not_opened"; readonly code: string; readonly exchange?: Exchange | undefined }
  | {
      readonly why: "broken";
      readonly code: string;
      readonly exchange: Exchange;
      /** It had served before and said no word to this request: it may have ended before it came. */
      readonly isStale: boolean;
    };

export type ConnectionOwner = {
  readonly loop: EventLoop;
  /** How soon the node answers. */
  readonly nearness: Nearness;
  /** It can carry an exchange: it has opened, or has carried one to its end. */
  readonly free: (connection: HttpConnection) => void;
  /** Told once. */
  readonly ended: (connection: HttpConnection, ending: Ending) => void;
};

/** A connection to a node that carries one exchange after another. */
export class HttpConnection {
  /** What the last exchange took until its answer began, milliseconds; 0: there was none. */
  tookMs = 0;
  /** How long it rests already, kept by its owner. */
  restedMs = 0;
  /** How long it may rest. */
  restMs = REST_MS;
  readonly #owner: ConnectionOwner;
  readonly #socket: Socket;
  readonly #reader: ResponseReader;
  #exchange: Exchange | undefined;
  #isOpen = false;
  #isEnded = false;
  #holdsProcess = true;
  #hasServed = false;
  #hasHeard = false;
  #sentAtMs = 0;
  /** The event loop stays awake for the answer. */
  #isAwaited = false;

  /** Begins to connect; `exchange` is what it is opened for, if it is for one alone. */
  constructor(dialer: Dialer, owner: ConnectionOwner, exchange?: Exchange) {
    this.#owner = owner;
    const { buffers, clock, nodeReads } = owner.loop;
    this.#reader = new ResponseReader(buffers);
    this.#exchange = exchange;
    if (exchange !== undefined) exchange.carrier = this;
    const reads = new SocketReads(
      nodeReads,
      () => this.#buffer(),
      (size, bytes) => {
        clock.atOneMoment(this.#onBytes, size, bytes);
        return true;
      },
    );
    this.#socket = dialer.dial(reads.onread);
    this.#socket
      .once(dialer.isSecure ? "secureConnect" : "connect", () => {
        reads.begin(this.#socket);
        this.#onOpen();
      })
      .on("end", () => this.#onEnd())
      .on("error", (error) => this.break("code" in error ? String(error.code) : error.name))
      .on("close", () => this.break("CONNECTION_CLOSED"));
  }

  /** On whose behalf it carries something. */
  get account(): string | undefined {
    return this.#exchange?.account;
  }

  /** Sends the request and waits for its response. The connection is free. */
  carry(exchange: Exchange): void {
    if (!this.#holdsProcess) this.#socket.ref();
    this.#holdsProcess = true;
    exchange.carrier = this;
    this.#exchange = exchange;
    this.#hasHeard = false;
    this.#reader.begin(exchange.maxBytes);
    const { clock, busyPoll } = this.#owner.loop;
    this.#sentAtMs = clock.monotonic();
    this.#isAwaited = this.#owner.nearness.isNear;
    if (this.#isAwaited) busyPoll.began();
    writeText(this.#socket, exchange.request);
  }

  /** It has rested for a while: this holds no process. Not at once, since most rest for a moment. */
  letGo(): void {
    if (this.#holdsProcess) this.#socket.unref();
    this.#holdsProcess = false;
  }

  /** Ends it; what it carries is its owner's again. */
  break(code: string): void {
    if (this.#isEnded) return;
    const exchange = this.#take();
    this.#isEnded = true;
    this.#socket.destroy();
    if (this.#isOpen && exchange === undefined) {
      this.#owner.ended(this, { why: "left" });
      return;
    }
    const isStale = this.#hasServed && !this.#hasHeard;
    if (exchange === undefined || !this.#isOpen) {
      this.#owner.ended(this, { why: "not_opened", code, exchange });
    } else this.#owner.ended(this, { why: "broken", code, exchange, isStale });
  }

  /** Ends it; what it carries is told nothing. */
  abort(): void {
    this.#take();
    this.#endUnneeded();
  }

  /** Resolves when the socket is closed. */
  async closed(): Promise<void> {
    if (this.#socket.closed) return;
    await new Promise((resolve) => this.#socket.once("close", resolve));
  }

  #onOpen(): void {
    if (this.#isEnded) return;
    this.#isOpen = true;
    const exchange = this.#exchange;
    if (exchange === undefined) this.#owner.free(this);
    else this.carry(exchange);
  }

  #buffer(): Buffer {
    return (this.#exchange === undefined ? undefined : this.#reader.room()) ?? READ_BUFFER;
  }

  readonly #onBytes = (size: number, bytes: Uint8Array): void => {
    if (this.#isEnded) return;
    if (this.#exchange === undefined) {
      // Nobody asked.
      this.#endUnneeded();
      return;
    }
    if (!this.#hasHeard) {
      this.#hasHeard = true;
      this.tookMs = this.#owner.loop.clock.monotonic() - this.#sentAtMs;
      this.#owner.nearness.answered(this.tookMs);
      this.#awaitNoLonger();
    }
    this.#proceed(
      bytes === READ_BUFFER ? this.#reader.read(READ_BUFFER, size) : this.#reader.advance(size),
    );
  };

  #onEnd(): void {
    if (this.#exchange !== undefined && this.#reader.end() === "whole") this.#proceed("whole");
    else this.break("CONNECTION_CLOSED");
  }

  #proceed(progress: Progress): void {
    switch (progress) {
      case "unfinished":
        this.#exchange?.hold(this.#reader.heldBytes, this.#onTooMuch);
        return;
      case "whole":
      case "whole_and_more":
        this.#answer(progress === "whole");
        return;
      case "broken":
        this.#fail({ kind: "unreachable", code: "INVALID_RESPONSE" });
        return;
      case "too_large":
        this.#fail({ kind: "too_large" });
    }
  }

  #answer(isAlone: boolean): void {
    const exchange = this.#take();
    const { head, body } = this.#reader.take();
    this.#hasServed = true;
    if (head.keepAliveSeconds !== undefined) {
      this.restMs = Math.min(head.keepAliveSeconds * 1000 - SOONER_MS, MAX_REST_MS);
    }
    // A request that is not sent to its end would go on in the next one's place.
    const wasSent = this.#socket.writableLength === 0;
    if (head.persists && isAlone && wasSent && this.restMs > 0) this.#owner.free(this);
    else this.#endUnneeded();
    exchange?.done({ kind: "response", head, body });
  }

  /** Others need the memory. */
  readonly #onTooMuch = (): void => {
    const exchange = this.#take();
    this.#endUnneeded();
    this.#reader.free();
    exchange?.done({ kind: "no_room" });
  };

  #fail(outcome: Outcome): void {
    const exchange = this.#take();
    this.#endUnneeded();
    exchange?.done(outcome);
  }

  #take(): Exchange | undefined {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    if (exchange !== undefined) {
      exchange.carrier = undefined;
      exchange.letGo();
    }
    this.#awaitNoLonger();
    return exchange;
  }

  #awaitNoLonger(): void {
    if (!this.#isAwaited) return;
    this.#isAwaited = false;
    this.#owner.loop.busyPoll.ended();
  }

  #endUnneeded(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#socket.destroy();
    this.#owner.ended(this, { why: "unneeded" });
  }
}
