import type { UpstreamAnswer } from "./upstream-answer.ts";

/** If a batch holds only valid calls, these codes mean that the node did not read it as a batch. */
const NOT_READ = new Set([-32700, -32600, -32601, -32602]);
/** These speak of the request's form; others say that the node is busy, or who may ask it. */
const FORM_STATUSES = new Set([400, 405, 406, 411, 413, 415, 422, 501]);
const NAMES_BATCHES = /\bbatch/i;
const TOO_MANY = /too (?:large|big|many|long)|\blimit|exceed|\bmax/i;
const PAYLOAD_TOO_LARGE = 413;

/** geth fills what is left of an answer of 25 MB with this; jsonrpsee and others word it alike. */
const RESPONSE_TOO_LARGE = /^(?:the )?(?:batch )?response\b.{0,10}\btoo (?:large|big)\b/i;

/**
 * Whether the node did not take the batch as such, in its one answer to all of it: `none`, because
 * it takes none, or `smaller`, because it takes fewer calls or bytes. Else it is each call's answer.
 */
export function refusalIn(answer: UpstreamAnswer): "none" | "smaller" | undefined {
  if (answer.kind !== "error" && answer.kind !== "garbage") return undefined;
  const { status } = answer;
  const text = answer.kind === "error" ? String(answer.error.message) : answer.body;
  const namesBatches = NAMES_BATCHES.test(text);
  const isRefusal =
    (answer.kind === "error" && NOT_READ.has(Number(answer.error.code))) ||
    FORM_STATUSES.has(status) ||
    (namesBatches && (answer.kind === "error" || status >= 400));
  if (!isRefusal) return undefined;
  const isTooMany = status === PAYLOAD_TOO_LARGE || (namesBatches && TOO_MANY.test(text));
  return isTooMany ? "smaller" : "none";
}

/** Whether the node left this call out because of the size of the other calls' answers. */
export function isCrowdedOut(answer: UpstreamAnswer): boolean {
  return answer.kind === "error" && RESPONSE_TOO_LARGE.test(String(answer.error.message));
}
