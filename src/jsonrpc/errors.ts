/**
 * THE error table. Every error that a client can be given is a row: its JSON-RPC code, the HTTP
 * status where it is the whole answer, whether the call is charged, whether asking again may help,
 * and its public text. Metric labels are the row's name; docs/errors.md is made from this file.
 */
type ErrorRow = {
  readonly code: number;
  readonly event?: number;
  readonly status: number;
  readonly charged: boolean;
  readonly retryable: boolean;
  readonly message: string;
  /** For people: when a client sees it, and what to do. */
  readonly meaning: string;
};

const row = (
  code: number,
  message: string,
  rest: { meaning: string } & Partial<Omit<ErrorRow, "code" | "message">>,
): ErrorRow =>
  Object.freeze({ code, message, status: 200, charged: false, retryable: false, ...rest });

export const ERRORS = Object.freeze({
  parse_error: row(-32700, "parse error", {
    meaning: "The body is not one JSON value in valid UTF-8.",
  }),
  invalid_request: row(-32600, "invalid request", {
    meaning: "The JSON is no JSON-RPC 2.0 call; the message says what is missing or wrong.",
  }),
  method_not_found: row(-32601, "the method does not exist/is not available", {
    meaning: "The method is not served here, or writes: the service is read-only.",
  }),
  invalid_params: row(-32602, "invalid params", {
    meaning: "A parameter is missing or malformed; the message names the argument.",
  }),
  node_invalid_params: row(-32602, "invalid params", {
    charged: true,
    meaning: "The node refused a parameter that the gateway let pass.",
  }),
  unauthorized: row(401, "Unauthorized", {
    event: -33001,
    status: 401,
    meaning: "The API key is missing, malformed, unknown, revoked or expired.",
  }),
  forbidden: row(403, "Forbidden", {
    event: -33100,
    status: 403,
    meaning: "The account is suspended, or the key may not do this; details name the kind.",
  }),
  payment_required: row(402, "Payment Required", {
    event: -33000,
    status: 402,
    meaning:
      "The account's credits of the day are used up; they return at 00:00 UTC. WebSockets are closed with 4402.",
  }),
  throughput_exceeded: row(429, "Too Many Requests", {
    event: -33200,
    status: 429,
    retryable: true,
    meaning: "The account's credits per second are used up; Retry-After says for how long.",
  }),
  key_throughput_exceeded: row(429, "Too Many Requests", {
    event: -33300,
    status: 429,
    retryable: true,
    meaning: "The key's own credits per second are used up.",
  }),
  key_balance_exhausted: row(429, "Too Many Requests", {
    event: -33400,
    status: 429,
    meaning: "The key's own credits of the day are used up; they return at 00:00 UTC.",
  }),
  credits_unavailable: row(-32603, "credits cannot be counted at the moment", {
    status: 503,
    retryable: true,
    meaning: "The store of the ledger does not answer, and the credits at hand are spent.",
  }),
  not_found: row(404, "Not Found", {
    status: 404,
    meaning: "No network, version or path of this name; details name the known ones.",
  }),
  method_not_allowed: row(405, "Method Not Allowed", {
    status: 405,
    meaning: "Calls are sent by POST.",
  }),
  request_timeout: row(408, "Request Timeout", {
    status: 408,
    retryable: true,
    meaning: "The headers or the body of the request came too slowly.",
  }),
  payload_too_large: row(413, "Payload Too Large", {
    status: 413,
    meaning: "The body is over 5 MiB.",
  }),
  unsupported_media_type: row(415, "Unsupported Media Type", {
    status: 415,
    meaning: "The body is neither application/json nor application/json-rpc, or is compressed.",
  }),
  too_many_connections: row(429, "Too Many Requests", {
    status: 429,
    retryable: true,
    meaning: "The key has as many WebSocket connections open as the server allows.",
  }),
  too_many_unknown_keys: row(429, "Too Many Requests", {
    status: 429,
    retryable: true,
    meaning:
      "The address sent more than 1,000 requests with unknown API keys, and more than 200 a second. Keys that are known are served on.",
  }),
  headers_too_large: row(431, "Request Header Fields Too Large", {
    status: 431,
    meaning: "The headers are over 16 KiB.",
  }),
  bad_request: row(400, "Bad Request", {
    status: 400,
    meaning: "The bytes are no HTTP/1.1 request, or its target has a fragment.",
  }),
  unavailable: row(-32603, "no upstream could answer", {
    status: 503,
    retryable: true,
    meaning: "Every node that could answer failed or took too long. Try again after Retry-After.",
  }),
  keys_unavailable: row(-32603, "API keys cannot be checked at the moment", {
    status: 503,
    retryable: true,
    meaning: "The store of API keys does not answer, and this key is not known yet.",
  }),
  memory_exhausted: row(-32603, "the gateway's memory for clients is used up", {
    status: 503,
    retryable: true,
    meaning:
      "Clients sent or left unread more than server.memoryBytes, and this account or address most of it. Send less at once, and read the answers.",
  }),
  internal: row(-32603, "internal error", {
    status: 503,
    retryable: true,
    meaning: "The gateway itself failed; X-Request-Id finds the line in its log.",
  }),
  revert: row(3, "execution reverted", {
    charged: true,
    meaning: "The contract executed REVERT; data is its payload.",
  }),
  execution_failed: row(-32000, "execution failed", {
    charged: true,
    meaning: "The EVM stopped, or would not start, for the reason in the message.",
  }),
  header_not_found: row(-32000, "header not found", {
    charged: true,
    meaning: "No node has the block whose state the call needs.",
  }),
  block_not_available: row(-32000, "the block is not available yet", {
    meaning: "No node reached the block of X-Min-Block in time; the message names it.",
  }),
  archive_unavailable: row(-32000, "archive requests are not available on this network", {
    meaning: "The network serves its latest blocks only; the message says how many.",
  }),
  subscription_not_found: row(-32000, "subscription not found", {
    meaning: "The connection has no subscription of this id.",
  }),
  filter_not_found: row(-32000, "filter not found", {
    meaning:
      "The key has no filter of this id on this network: it was removed, or not asked for five minutes. Make it anew.",
  }),
  filters_unavailable: row(-32603, "filters cannot be read at the moment", {
    status: 503,
    retryable: true,
    meaning: "The store does not answer, which has the filters of clients.",
  }),
  not_on_this_network: row(-32000, "not available on this network", {
    meaning: "The network's nodes do not tell of that: `pendingTransactions` is not set for it.",
  }),
  cannot_resume: row(-32000, "cannot resume", {
    meaning:
      "What a subscription is to go on from lies too far back, or off the chain and forgotten; the message says from which block to ask eth_getLogs.",
  }),
  answer_too_large: row(-32000, "answer too large", {
    charged: true,
    meaning:
      "The node's answer is over the network's maxResponseBytes. The node did the work. Ask for less.",
  }),
  upstream_error: row(-32000, "upstream error", {
    charged: true,
    meaning: "A node's own error, passed on with its code and text.",
  }),
} as const satisfies Record<string, ErrorRow>);

export type ErrorName = keyof typeof ERRORS;

/**
 * One error on its way to a client. `message` overrides the row's text and `code` its code (a
 * node's own, passed on); `details` stands beside it. `internal` goes to the log and never to a
 * client: it may hold an upstream's words.
 */
export type RpcError = {
  readonly name: ErrorName;
  readonly message?: string;
  readonly code?: number;
  /** Hex payload, `0x…`. */
  readonly data?: string;
  readonly details?: string;
  readonly internal?: string;
  /** Where more than a second is known to be needed. */
  readonly retryAfterSeconds?: number;
};

/** The error object as JSON text: `{"code":…,"event":…,"message":…,"details":…,"data":…}`. */
export function encodeError(error: RpcError): string {
  const { code, event, message } = ERRORS[error.name] as ErrorRow;
  return JSON.stringify({
    code: error.code ?? code,
    event,
    message: error.message ?? message,
    details: error.details,
    data: error.data,
  });
}
