import type { Clock } from "../lib/clock.ts";
import type { Outcome } from "../wire/client/exchange.ts";
import type { ResponseHead } from "../wire/client/response-head.ts";
import { readAnswer } from "./read-answer.ts";
import { parseRetryAfter } from "./retry-after.ts";
import type { UpstreamRequest } from "./transport.ts";
import type { UpstreamAnswer } from "./upstream-answer.ts";

/** `method` is of a definition, or the gateway's own. */
type Asked = Pick<UpstreamRequest, "method" | "params">;

const BEGINNING = '{"jsonrpc":"2.0","id":';

/** One call's JSON text. */
export function callText(id: number, { method, params }: Asked): string {
  return `${BEGINNING}${id},"method":"${method}","params":${params}}`;
}

/** That of several calls, whose ids follow one another. */
export function batchText(firstId: number, calls: readonly { readonly request: Asked }[]): string {
  let text = "";
  let id = firstId;
  for (const { request } of calls) {
    text += `${id === firstId ? "[" : ","}${callText(id, request)}`;
    id += 1;
  }
  return `${text}]`;
}

/** The answer of an exchange that carried the call of this id alone. */
export function answerOf(
  outcome: Outcome,
  { id, clock }: { readonly id: number; readonly clock: Pick<Clock, "now"> },
): UpstreamAnswer {
  if (outcome.kind !== "response") return outcome;
  const { head, body } = outcome;
  const answer = readAnswer(head.status, body, { id, framed: head.body !== "until_end" });
  return withRetryAfter(answer, head, clock);
}

/** The answer, and when to ask again where the node says so beside what is no result. */
export function withRetryAfter(
  answer: UpstreamAnswer,
  head: ResponseHead,
  clock: Pick<Clock, "now">,
): UpstreamAnswer {
  if (answer.kind !== "garbage" && answer.kind !== "error") return answer;
  const retryAfterMs = parseRetryAfter(head.retryAfter, clock.now());
  return retryAfterMs === undefined ? answer : { ...answer, retryAfterMs };
}
