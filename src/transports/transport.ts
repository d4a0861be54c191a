import type { Piece } from "../lib/bytes.ts";
import type { UpstreamAnswer } from "./upstream-answer.ts";

export type UpstreamRequest = {
  readonly method: string;
  /** JSON text of the positional params, in ASCII. */
  readonly params: string;
  readonly timeoutMs: number;
  /** On whose behalf memory is held for the answer; absent: for the gateway itself. */
  readonly account?: string | undefined;
  /** An account's keys take turns at a busy node. */
  readonly keyId?: string | undefined;
  /** The header by which the node joins the call's trace. A batch, which is many calls, goes without. */
  readonly traceparent?: string | undefined;
  /** Not in a batch with others, whose slowness would be taken for its own. */
  readonly alone?: boolean;
};

/** Is told the answer, once. */
export type Asker = { answered(answer: UpstreamAnswer): void };

/** A request on its way. After `cancel` its asker is told nothing any more. */
export type InAir = {
  readonly cancel: () => void;
  /** It waits for a place: the node does not know of it. */
  readonly isWaiting?: boolean;
  /** How long it did, milliseconds. */
  readonly waitedMs?: number;
};

/** A way to one node: a request in, one answer out, within its time whatever the node does. */
export type Transport = {
  /** Whether a connection is open: else who answers next may be another node than before. */
  readonly isConnected: boolean;
  readonly call: (request: UpstreamRequest, asker: Asker) => InAir;
  /** Nobody reads this result any more: its memory is used again. */
  readonly release?: (result: readonly Piece[]) => void;
  /** Ends the connections; calls in the air are answered as unreachable. */
  readonly close: () => Promise<void>;
};
