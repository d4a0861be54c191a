import type { Holding } from "../../lib/memory-budget.ts";
import type { EventLoop } from "../event-loop.ts";
import type { Exchange } from "./exchange.ts";
import type { PlainConnection } from "./plain-connection.ts";
import type { FaultAnswers } from "./raw-answer.ts";
import type { SocketReader } from "./socket-reader.ts";

/** The part of the wire that its connections need. */
export type PlainConnectionOwner = {
  readonly loop: EventLoop;
  readonly limits: PlainLimits;
  readonly faults: FaultAnswers;
  /** The end of the present step, milliseconds that never go back: what begins now is dated then. */
  readonly stepEndMs: number;
  readonly stopping: boolean;
  /** Counts what is held for this address. */
  hold(address: string, giveUp: () => void): Holding;
  begin(exchange: Exchange): void;
  /** The last lines of an answer's head. */
  headEnd(last: boolean): string;
  /** Everything from these bytes on is for node:http. */
  handOver(reader: SocketReader, bytes: Buffer): void;
  /** The connection is no longer served here. */
  forget(connection: PlainConnection): void;
};

export type PlainLimits = {
  readonly headersMs: number;
  readonly bodyMs: number;
  readonly stalledMs: number;
  /** Between two requests; 0 for any time. */
  readonly idleMs: number;
};
