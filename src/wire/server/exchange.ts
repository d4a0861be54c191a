import type { Piece } from "../../lib/bytes.ts";
import type { Holding } from "../../lib/memory-budget.ts";
import type { BodyTooLarge } from "./request-body.ts";
import type { Head } from "./request-head.ts";

export type BodyListener = (exchange: Exchange, body: Buffer | BodyTooLarge) => void;

/**
 * One request and its answer, as the HTTP front sees them. It is carried by one of two wires:
 * plain-exchange.ts for plain requests, node-exchange.ts for all others.
 */
export interface Exchange extends Head {
  readonly method: string;
  /** The fault of a head that the wire let pass. */
  readonly fault: string | undefined;
  requestId: string;
  /** The front's notes of the head. They are kept where the same head comes again. */
  headNotes: unknown;
  /** The memory that the gateway holds for it. */
  readonly holding: Holding;
  /** The front's notes of this request. */
  reading: unknown;

  /** The value of Content-Length; 0 without one. */
  readonly announcedBytes: number;

  /** `name` in lower case. */
  header(name: string): string | undefined;

  /** Asks for the whole body: `done` is called once, and never where the client breaks off. */
  readBody(done: BodyListener): void;

  /** The answer does not wait for the body, which is read and dropped. */
  skipBody(): void;

  /**
   * Gives the answer, once. `fields` are its header lines, each with its line end, but for those
   * that are the wire's own: Date, Connection, Keep-Alive.
   */
  answer(status: number, fields: string, pieces: readonly Piece[]): void;
}
