/** What a node, or the way to it, can do wrong. */
export type Fault =
  | { readonly kind: "none" }
  /** Every answer comes that much later. */
  | { readonly kind: "latency"; readonly ms: number }
  /** The connection is reset: before the first byte of an answer, or in the middle of it. */
  | { readonly kind: "reset"; readonly when: "before headers" | "after headers" }
  /** Takes connections and what is sent, answers nothing, not even pings, and never closes. */
  | { readonly kind: "half-open" }
  /** Speaks HTTP and WebSocket, and answers no call. */
  | { readonly kind: "hang" }
  /** HTML, with status 200. */
  | { readonly kind: "garbage" }
  /** Half of the answer, then the end: of less than its Content-Length, or within a chunk. */
  | { readonly kind: "truncated"; readonly by: "length" | "chunks" }
  /** The right answer to a call that nobody made. */
  | { readonly kind: "wrong-id" }
  /** `retryAfter` is the header's value: 429 has it or has it not. */
  | { readonly kind: "status"; readonly status: 429 | 500; readonly retryAfter?: string }
  /** 503 with the page of a load balancer; over WebSocket the connection ends. */
  | { readonly kind: "unavailable-page" }
  /** The body comes a byte at a time. */
  | { readonly kind: "drip"; readonly everyMs: number }
  /** Has got no block since the moment in which this began. */
  | { readonly kind: "stale" }
  /** On another fork from this block on: the same but for every hash. */
  | { readonly kind: "forked"; readonly from: number }
  /** null for whatever is looked up, save for what stands in `except` (hashes and numbers). */
  | { readonly kind: "nulls"; readonly except: ReadonlySet<string> }
  /** Restarted as a node of another chain: connections drop, then eth_chainId is this. */
  | { readonly kind: "other-chain"; readonly chainId: number };

export const NONE: Fault = { kind: "none" };

/** A service's page, as a load balancer sends it. */
export const PAGE =
  "<html><head><title>503 Service Temporarily Unavailable</title></head>" +
  "<body><center><h1>503 Service Temporarily Unavailable</h1></center></body></html>";

/** In the place of an answer. */
export const GARBAGE = "<!DOCTYPE html><html><body>It works!</body></html>";
