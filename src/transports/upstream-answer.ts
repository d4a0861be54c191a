import type { PlainError } from "../failures/failures.ts";
import type { Piece } from "../lib/bytes.ts";

/** A node may say beside a refusal that it is to be asked again only after so long. */
type Refusal = { readonly status: number; readonly retryAfterMs?: number };

/** The outcome of one attempt at one upstream. */
export type UpstreamAnswer =
  /** The `result` member, JSON text. */
  | { readonly kind: "result"; readonly result: readonly Piece[] }
  /** The node's JSON-RPC error object and the HTTP status that it came with. */
  | ({ readonly kind: "error"; readonly error: PlainError } & Refusal)
  /** Not JSON-RPC: HTML, truncated, the wrong id, a bare status. `body` is its beginning. */
  | ({ readonly kind: "garbage"; readonly body: string } & Refusal)
  | { readonly kind: "too_large" }
  /** There was no memory for it; no fault of the node. */
  | { readonly kind: "no_room" }
  /** It was not sent, since too many waited for a connection; no fault of the node. */
  | { readonly kind: "no_place" }
  | { readonly kind: "timeout" }
  /** No connection, or it broke; `code` is the system's name for it, or the client's own. */
  | {
      readonly kind: "unreachable";
      readonly code: string;
      /** A kept connection that had ended before the request came: no fault of the node. */
      readonly isStale?: boolean;
    };
