import type { RpcError } from "../../jsonrpc/errors.ts";
import { MAX_HEADERS_BYTES } from "../../wire/server/node-server.ts";
import type { FaultAnswers, LastAnswer } from "../../wire/server/raw-answer.ts";
import { refusal } from "../answer.ts";

/** A refusal that ends its connection, for the wire to write. */
export function lastAnswer(error: RpcError): LastAnswer {
  const { status, pieces, retryAfterSeconds } = refusal(error);
  return { status, body: pieces.join(""), retryAfterSeconds };
}

/** The wire's own refusals, in the words of the table of errors. */
export const FAULT_ANSWERS: FaultAnswers = Object.freeze({
  no_request: lastAnswer({ name: "bad_request" }),
  too_slow: lastAnswer({
    name: "request_timeout",
    details: "send the headers and the body of a request without long pauses",
  }),
  headers_too_large: lastAnswer({
    name: "headers_too_large",
    details: `the headers have at most ${MAX_HEADERS_BYTES} bytes`,
  }),
  connect: lastAnswer({ name: "method_not_allowed", details: "send calls by POST" }),
  memory_exhausted: lastAnswer({ name: "memory_exhausted" }),
});
