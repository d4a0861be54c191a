import type { Piece } from "../../lib/bytes.ts";
import type { Holding } from "../../lib/memory-budget.ts";
import type { BodyListener, Exchange } from "./exchange.ts";
import { PLACE, type PlainHead } from "./plain-head.ts";

/** The part of a connection that an exchange needs. It ignores an exchange that is no longer its own. */
export type PlainCarrier = {
  readonly peer: string;
  readonly holding: Holding;
  readBody(exchange: PlainExchange, done: BodyListener): void;
  answer(exchange: PlainExchange, head: AnswerHead, pieces: readonly Piece[]): void;
};

export type AnswerHead = { readonly status: number; readonly fields: string };

/** A plain request and its answer. */
export class PlainExchange implements Exchange {
  readonly transport = "http";
  readonly method = "POST";
  /** A request with a fault is not plain. */
  readonly fault = undefined;
  requestId = "";
  reading: unknown = undefined;
  readonly #head: PlainHead;
  readonly #carrier: PlainCarrier;

  constructor(head: PlainHead, carrier: PlainCarrier) {
    this.#head = head;
    this.#carrier = carrier;
  }

  get headNotes(): unknown {
    return this.#head.headNotes;
  }

  set headNotes(found: unknown) {
    this.#head.headNotes = found;
  }

  get target(): string {
    return this.#head.target;
  }

  get host(): string {
    return this.#head.at(PLACE.host) ?? "";
  }

  get origin(): string | undefined {
    return this.#head.at(PLACE.origin);
  }

  get agent(): string | undefined {
    return this.#head.at(PLACE.agent);
  }

  get peer(): string {
    return this.#carrier.peer;
  }

  get holding(): Holding {
    return this.#carrier.holding;
  }

  get forwardedFor(): string | undefined {
    return this.#head.at(PLACE.forwardedFor);
  }

  get minBlock(): string | undefined {
    return this.#head.at(PLACE.minBlock);
  }

  get traceparent(): string | undefined {
    return this.#head.at(PLACE.traceparent);
  }

  get announcedBytes(): number {
    return this.#head.bodyBytes;
  }

  header(name: string): string | undefined {
    return this.#head.header(name);
  }

  readBody(done: BodyListener): void {
    this.#carrier.readBody(this, done);
  }

  /** Nothing to do: what is left of a body when its answer is given, the connection drops. */
  skipBody(): void {}

  answer(status: number, fields: string, pieces: readonly Piece[]): void {
    this.#carrier.answer(this, { status, fields }, pieces);
  }
}
