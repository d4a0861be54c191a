import type { Identity } from "../access/authenticator.ts";
import type { RpcError } from "../jsonrpc/errors.ts";
import type { Piece } from "../lib/bytes.ts";
import type { Holding } from "../lib/memory-budget.ts";
import type { Address } from "./address.ts";
import type { Session } from "./call.ts";
import type { BodyTooLarge } from "./request-body.ts";
import type { Head } from "./request-head.ts";

export type BodyListener = (exchange: Exchange, body: Buffer | BodyTooLarge) => void;

/** What a head says, whoever sends it and whenever: it is the same for each request with that head. */
export type Findings = {
  /** The client's own X-Request-Id. */
  readonly givenId: string | undefined;
  /** What the target names. */
  readonly address: Address | RpcError;
  /** Why its body is not read (415, 413). */
  readonly bodyFault: RpcError | undefined;
};

/**
 * One request and its answer, as the HTTP front sees them. What carries them is one of two wires:
 * plain-exchange.ts for what is plain, node-exchange.ts for everything else.
 */
export interface Exchange extends Head {
  readonly method: string;
  /** What is wrong with the head though the wire let it pass. */
  readonly fault: string | undefined;
  requestId: string;
  /** What the front has found in the head; known already where the same head came before. */
  findings: Findings | undefined;
  /** What the gateway holds for it. */
  readonly holding: Holding;
  /** Known once the key is. */
  identity: Identity | undefined;
  session: Session | undefined;

  /** What Content-Length says; 0 without one. */
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
