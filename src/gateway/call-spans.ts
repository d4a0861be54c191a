import { cutText } from "../lib/cut-text.ts";
import { redactKeys } from "../telemetry/redact.ts";
import type { SpanContext, TracedAttempt } from "../telemetry/traces/call-trace.ts";
import {
  type Attributes,
  NO_ATTRIBUTES,
  SPAN_KIND,
  type Span,
} from "../telemetry/traces/otlp-json.ts";
import { type Call, upstreamOf } from "./call.ts";

/** Stages 3 to 9 of docs/life-of-a-call.md: the names of their spans, in the order of the pipeline's list. */
const STAGES = ["look up", "check", "admit", "resolve", "recall", "fetch", "normalise"];
const FETCH_STAGE = STAGES.indexOf("fetch");
const MOST_METHOD_CHARS = 100;
/** What an attempt is counted as where its node is not to blame. */
const GOOD_OUTCOMES: ReadonlySet<string> = new Set(["ok", "overtaken", "no_place"]);

export type SpansOptions = {
  readonly context: SpanContext;
  /** Why it is traced. */
  readonly reason: string;
  /** Whether the service failed the call. */
  readonly isFailed: boolean;
  readonly durationMs: number;
  /** From the monotonic clock, by which the call was timed, to Unix time. */
  readonly aheadMs: number;
  readonly newSpanId: () => string;
};

/**
 * The spans of a call that has ended: its own, one for each stage that was noted, one for each attempt at a node. All have
 * their fields in the same order, and are encoded twice as fast by that.
 */
export function spansOf(call: Call, options: SpansOptions): readonly Span[] {
  const { context, newSpanId, aheadMs, durationMs } = options;
  const { traceId, spanId } = context;
  const endedMs = call.begunMs + durationMs;
  const stages = call.trace?.stages ?? fetchOf(call);
  const spans = [rootOf(call, options)];
  let fetchId = spanId;
  for (let place = 0; place < stages.length; place += 2) {
    const stage = stages[place] ?? 0;
    const own = newSpanId();
    if (stage === FETCH_STAGE) fetchId = own;
    spans.push({
      traceId,
      spanId: own,
      parentSpanId: spanId,
      isParentRemote: false,
      name: STAGES[stage] ?? "",
      kind: SPAN_KIND.internal,
      beganMs: (stages[place + 1] ?? 0) + aheadMs,
      endedMs: (stages[place + 3] ?? endedMs) + aheadMs,
      attributes: NO_ATTRIBUTES,
      isError: false,
    });
  }
  for (const attempt of attemptsOf(call)) {
    const isInAir = attempt.endedMs < 0;
    spans.push({
      traceId,
      spanId: attempt.context?.spanId ?? newSpanId(),
      parentSpanId: fetchId,
      isParentRemote: false,
      name: "attempt",
      kind: SPAN_KIND.client,
      beganMs: attempt.beganMs + aheadMs,
      endedMs: (isInAir ? endedMs : attempt.endedMs) + aheadMs,
      attributes: attributesOfAttempt(attempt),
      isError: !GOOD_OUTCOMES.has(attempt.outcome),
    });
  }
  return spans;
}

/** All that is noted of the stages of a call that was not chosen before it began. */
function fetchOf({ fetchedMs }: Call): readonly number[] {
  return fetchedMs < 0 ? [] : [FETCH_STAGE, fetchedMs];
}

/** The first one first. */
function attemptsOf({ lastAttempt }: Call): readonly TracedAttempt[] {
  const attempts: TracedAttempt[] = [];
  for (let each = lastAttempt; each !== undefined; each = each.earlier) attempts.push(each);
  return attempts.reverse();
}

function rootOf(call: Call, { context, aheadMs, durationMs, ...why }: SpansOptions): Span {
  const beganMs = call.begunMs + aheadMs;
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    parentSpanId: context.parentSpanId,
    isParentRemote: context.parentSpanId !== undefined,
    name: call.definition === undefined ? "other" : call.method,
    kind: SPAN_KIND.server,
    beganMs,
    endedMs: beganMs + durationMs,
    attributes: attributesOf(call, why.reason),
    isError: why.isFailed,
  };
}

/** No key, no params, no URL. */
function attributesOf(
  { session, definition, method, error, charged, answer }: Call,
  reason: string,
): Attributes {
  const { identity, network, requestId } = session;
  return {
    "rpc.system": "jsonrpc",
    "rpc.method":
      definition === undefined ? redactKeys(cutText(method, MOST_METHOD_CHARS)) : method,
    "tollgate.network": network.name,
    "tollgate.account": identity.accountId,
    "tollgate.key_id": identity.keyId,
    "tollgate.request_id": requestId,
    "tollgate.outcome": error === undefined ? "ok" : error.name,
    "tollgate.credits": charged,
    "tollgate.upstream": upstreamOf(answer),
    "tollgate.traced_for": reason,
  };
}

function attributesOfAttempt({ upstream, outcome, beside }: TracedAttempt): Attributes {
  return {
    "tollgate.upstream": upstream.name,
    "tollgate.outcome": outcome,
    "tollgate.hedge": beside !== undefined,
  };
}
