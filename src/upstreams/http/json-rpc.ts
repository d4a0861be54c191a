import { readAnswer } from "../read-answer.ts";
import type { UpstreamRequest } from "../transport.ts";
import type { UpstreamAnswer } from "../upstream-answer.ts";
import type { Outcome } from "./exchange.ts";
import type { ResponseHead } from "./response-head.ts";
import { parseRetryAfter } from "./retry-after.ts";

/** One call's JSON text. */
export function callText(id: number, { method, params }: UpstreamRequest): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
}

/** What became of an exchange that carried the call of this id alone. */
export function answerOf(outcome: Outcome, id: number): UpstreamAnswer {
  if (outcome.kind !== "response") return outcome;
  const { head, body } = outcome;
  const answer = readAnswer(head.status, body, { id, framed: head.body !== "until_end" });
  return withRetryAfter(answer, head);
}

/** The answer, and when to ask again where the node says so beside what is no result. */
export function withRetryAfter(answer: UpstreamAnswer, head: ResponseHead): UpstreamAnswer {
  if (answer.kind !== "garbage" && answer.kind !== "error") return answer;
  const retryAfterMs = parseRetryAfter(head.retryAfter, Date.now());
  return retryAfterMs === undefined ? answer : { ...answer, retryAfterMs };
}
