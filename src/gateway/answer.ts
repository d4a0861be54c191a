import { ERRORS, encodeError, type RpcError } from "../jsonrpc/errors.ts";
import { type Piece, toBinary } from "../lib/bytes.ts";
import type { Subscription } from "../subscriptions/subscription.ts";
import type { Call } from "./call.ts";

/** An answer to a message: what HTTP says of it, and its bytes. No pieces: nothing to say (204). */
export type MessageAnswer = {
  readonly status: number;
  readonly pieces: readonly Piece[];
  /** Seconds after which asking again may help. */
  readonly retryAfterSeconds?: number | undefined;
  /** Credits of all its calls. */
  readonly charged: number;
  /** The lowest block that a tag of its calls was resolved to. */
  readonly block?: number | undefined;
  /** A partner answered one of its calls. */
  readonly partner?: boolean;
  /** Subscriptions that begin once this is written. */
  readonly opened?: readonly Subscription[] | undefined;
  /** A call was refused because the day's credits are gone; a WebSocket ends with that. */
  readonly exhausted: boolean;
};

/** A result of so few bytes costs less as a part of the text than as a piece. */
const SMALL_BYTES = 2048;
const NULL: readonly Piece[] = Object.freeze(["null"]);

const BEGINNING = '{"jsonrpc":"2.0","id":';
/** The same for a batch's answers, as one text each: every part of a joined text costs. */
export const FIRST_OF_BATCH = `[${BEGINNING}`;
export const NEXT_OF_BATCH = `,${BEGINNING}`;

/**
 * Stage 11: one call's answer, after `beginning`, which ends where the id comes; the result's own
 * bytes are joined in, not encoded again. Where they are few, or an error, it is a text.
 */
export function callAnswer(call: Call, beginning = BEGINNING): string | readonly Piece[] {
  if (call.error !== undefined) return errorText(call.error, call.id, beginning);
  const result = call.result ?? NULL;
  const text = result.length === 1 ? smallText(result[0] as Piece) : undefined;
  if (text !== undefined) return `${beginning}${call.id},"result":${text}}`;
  return [`${beginning}${call.id},"result":`, ...result, "}"];
}

function smallText(piece: Piece): string | undefined {
  if (typeof piece === "string") return piece;
  return piece.length > SMALL_BYTES ? undefined : piece.toString("latin1");
}

/** An error object as a whole answer, as a binary string. */
export function errorText(error: RpcError, id = "null", beginning = BEGINNING): string {
  return `${beginning}${id},"error":${toBinary(encodeError(error))}}`;
}

/** A message that is refused as a whole: one error, by default of the row's own HTTP status. */
export function refusal(error: RpcError, id?: string): MessageAnswer {
  const { status, retryable } = ERRORS[error.name];
  return {
    status,
    pieces: [errorText(error, id)],
    retryAfterSeconds: error.retryAfterSeconds ?? (retryable ? 1 : undefined),
    charged: 0,
    exhausted: error.name === "payment_required",
  };
}
