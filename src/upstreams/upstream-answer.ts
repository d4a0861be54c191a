import type { PlainError } from "./failures.ts";

/** What came of one attempt at one upstream. */
export type UpstreamAnswer =
  /** The bytes of the `result` member, JSON text, in the pieces that they came in. */
  | { readonly kind: "result"; readonly result: readonly Buffer[] }
  /** The node's JSON-RPC error object and the HTTP status that it came with. */
  | { readonly kind: "error"; readonly status: number; readonly error: PlainError }
  /** Not JSON-RPC: HTML, truncated, the wrong id, a bare status. `body` is its beginning. */
  | { readonly kind: "garbage"; readonly status: number; readonly body: string }
  | { readonly kind: "too_large" }
  | { readonly kind: "timeout" }
  /** No connection, or it broke; `code` is the system's or undici's name for it. */
  | { readonly kind: "unreachable"; readonly code: string };
