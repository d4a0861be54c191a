import { FAILURE_CLASSES } from "../failures/failure-classes.ts";
import { classify, type Failure } from "../failures/failures.ts";
import { isRevertPayloadAsResult } from "../failures/revert-reason.ts";
import type { Piece } from "../lib/bytes.ts";
import type { UpstreamAnswer } from "../transports/upstream-answer.ts";

/** The meaning of one answer for the call. */
export type Verdict =
  | { readonly kind: "result"; readonly result: readonly Piece[] }
  | { readonly kind: "null"; readonly result: readonly Piece[] }
  | { readonly kind: "too_large" }
  | { readonly kind: "no_room" }
  /** The node was not asked. */
  | { readonly kind: "no_place"; readonly told: string }
  /** The node's own error: the call's answer, unless `askAnother`. */
  | { readonly kind: "failure"; readonly failure: Failure; readonly askAnother: boolean }
  /** No answer at all; `told` is for the log. */
  | { readonly kind: "broken"; readonly label: "timeout" | "unreachable"; readonly told: string }
  /** A kept connection that had ended before the request came: it can be asked once more. */
  | { readonly kind: "stale"; readonly told: string };

/** The meaning of an answer to a call of this method: structure first, then the rows of failures. */
export function judge(method: string, answer: UpstreamAnswer): Verdict {
  switch (answer.kind) {
    case "result":
      return judgeResult(method, answer);
    case "too_large":
    case "no_room":
      return answer;
    case "no_place":
      return { kind: "no_place", told: "too many calls wait for it" };
    case "timeout":
      return { kind: "broken", label: "timeout", told: "no answer in time" };
    case "unreachable":
      if (answer.isStale === true) return { kind: "stale", told: answer.code };
      return { kind: "broken", label: "unreachable", told: answer.code };
    case "garbage":
    case "error":
      return failed(classify(answer));
  }
}

const NULL = Buffer.from("null");
/** Bytes that are never empty: geth says `0x` where there is no such transaction (internal/ethapi). */
const EMPTY_IS_NULL: ReadonlySet<string> = new Set([
  "eth_getRawTransactionByHash",
  "eth_getRawTransactionByBlockHashAndIndex",
  "eth_getRawTransactionByBlockNumberAndIndex",
]);

type Result = Extract<UpstreamAnswer, { kind: "result" }>;

function judgeResult(method: string, answer: Result): Verdict {
  const { result } = answer;
  const [only] = result;
  if (only !== undefined && result.length === 1) {
    if (only.length === NULL.length) {
      const text = only.toString("latin1");
      if (text === "null") return { kind: "null", result };
      if (text === '"0x"' && EMPTY_IS_NULL.has(method)) return { kind: "null", result: [NULL] };
    }
    const payload = method === "eth_call" ? isRevertPayloadAsResult(only) : null;
    if (payload !== null) return failed(classify({ status: 200, result: payload }));
  }
  return answer;
}

function failed(failure: Failure): Verdict {
  return { kind: "failure", failure, askAnother: FAILURE_CLASSES[failure.class].askAnother };
}

/** The name under which metrics count the answer. */
export function labelOf(verdict: Verdict): string {
  switch (verdict.kind) {
    case "result":
    case "null":
      return "ok";
    case "too_large":
    case "no_room":
    case "no_place":
      return verdict.kind;
    case "failure":
      return verdict.failure.class;
    case "broken":
      return verdict.label;
    case "stale":
      return "stale";
  }
}

/** Whether the answer counts against the node's health: one column of the table of failures. */
export function isFault(verdict: Verdict): boolean {
  if (verdict.kind === "broken") return true;
  return verdict.kind === "failure" && FAILURE_CLASSES[verdict.failure.class].countsAgainstHealth;
}
