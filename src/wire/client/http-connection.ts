import type { Socket } from "node:net";
import type { EventLoop } from "../event-loop.ts";
import type { Nearness } from "./busy-poll.ts";
import type { Dialer } from "./dialer.ts";
import type { Exchange, Outcome } from "./exchange.ts";
import type { Progress, Response } from "./response-reader.ts";

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
  | { readonly why: "not_opened"; readonly code: string }
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

/** A connection to a node that carries one exchange after another. Who sends and reads is a subclass. */
export abstract class HttpConnection {
  /** The time of the last exchange until its answer began, milliseconds; 0: there was none. */
  tookMs = 0;
  /** How long it rests already, kept by its owner. */
  restedMs = 0;
  /** How long it may rest. */
  restMs = REST_MS;
  protected readonly owner: ConnectionOwner;
  protected abstract readonly socket: Socket;
  protected exchange: Exchange | undefined;
  protected isEnded = false;
  #isOpen = false;
  #holdsProcess = true;
  #hasServed = false;
  #hasHeard = false;
  #sentAtMs = 0;
  /** The event loop stays awake for the answer. */
  #isAwaited = false;

  constructor(owner: ConnectionOwner) {
    this.owner = owner;
  }

  /** Writes the request; its response is what is read next. */
  protected abstract send(exchange: Exchange): void;
  /** Whether all of the request is written: else it would go on in the next one's place. */
  protected abstract wasSent(): boolean;
  /** A whole response, once. */
  protected abstract response(): Response;
  /** The bytes that are held of a response. */
  protected abstract heldBytes(): number;
  /** The response is not wanted any more. */
  protected abstract forget(): void;

  /** Called by the subclass, whose socket begins to connect. */
  protected listen({ isSecure }: Dialer): void {
    this.socket
      .once(isSecure ? "secureConnect" : "connect", () => this.onOpen())
      .on("error", (error) => this.break("code" in error ? String(error.code) : error.name));
  }

  /** On whose behalf it carries something. */
  get account(): string | undefined {
    return this.exchange?.account;
  }

  /** Sends the request and waits for its response. The connection is free. */
  carry(exchange: Exchange): void {
    if (!this.#holdsProcess) this.socket.ref();
    this.#holdsProcess = true;
    exchange.carrier = this;
    this.exchange = exchange;
    this.#hasHeard = false;
    const { clock, busyPoll } = this.owner.loop;
    this.#sentAtMs = clock.monotonic();
    this.#isAwaited = this.owner.nearness.isNear;
    if (this.#isAwaited) busyPoll.began();
    this.send(exchange);
  }

  /** It has rested for a while: this holds no process. Not at once, since most rest for a moment. */
  letGo(): void {
    if (this.#holdsProcess) this.socket.unref();
    this.#holdsProcess = false;
  }

  /** Ends it; what it carries is its owner's again. */
  break(code: string): void {
    if (this.isEnded) return;
    const exchange = this.#take();
    this.isEnded = true;
    this.socket.destroy();
    if (!this.#isOpen) this.owner.ended(this, { why: "not_opened", code });
    else if (exchange === undefined) this.owner.ended(this, { why: "left" });
    else {
      const isStale = this.#hasServed && !this.#hasHeard;
      this.owner.ended(this, { why: "broken", code, exchange, isStale });
    }
  }

  /** Ends it; what it carries is told nothing. */
  abort(): void {
    this.#take();
    this.endUnneeded();
  }

  /** Resolves when the socket is closed. */
  async closed(): Promise<void> {
    if (this.socket.closed) return;
    await new Promise((resolve) => this.socket.once("close", resolve));
  }

  protected onOpen(): void {
    if (this.isEnded) return;
    this.#isOpen = true;
    this.owner.free(this);
  }

  /** Bytes have come for the exchange. */
  protected onHeard(): void {
    if (this.#hasHeard) return;
    this.#hasHeard = true;
    this.tookMs = this.owner.loop.clock.monotonic() - this.#sentAtMs;
    this.owner.nearness.answered(this.tookMs);
    this.#awaitNoLonger();
  }

  protected proceed(progress: Progress): void {
    switch (progress) {
      case "unfinished":
        this.exchange?.hold(this.heldBytes(), this.#onTooMuch);
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

  /** Ends it; it carries nothing. */
  protected endUnneeded(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.socket.destroy();
    this.owner.ended(this, { why: "unneeded" });
  }

  #answer(isAlone: boolean): void {
    const exchange = this.#take();
    const { head, body } = this.response();
    this.#hasServed = true;
    if (head.keepAliveSeconds !== undefined) {
      this.restMs = Math.min(head.keepAliveSeconds * 1000 - SOONER_MS, MAX_REST_MS);
    }
    if (head.persists && isAlone && this.wasSent() && this.restMs > 0) this.owner.free(this);
    else this.endUnneeded();
    exchange?.done({ kind: "response", head, body });
  }

  /** Others need the memory. */
  readonly #onTooMuch = (): void => {
    const exchange = this.#take();
    this.endUnneeded();
    this.forget();
    exchange?.done({ kind: "no_room" });
  };

  #fail(outcome: Outcome): void {
    const exchange = this.#take();
    this.endUnneeded();
    exchange?.done(outcome);
  }

  #take(): Exchange | undefined {
    const { exchange } = this;
    this.exchange = undefined;
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
    this.owner.loop.busyPoll.ended();
  }
}
