import { cutText } from "../lib/cut-text.ts";
import { redactKeys } from "../telemetry/redact.ts";
import type { AttemptTrace, SpanContext } from "../telemetry/traces/call-trace.ts";
import { type Attributes, SPAN_KIND, type Span } from "../telemetry/traces/otlp-json.ts";
import { type Call, upstreamOf } from "./call.ts";

/** Stages 3 to 9 of docs/life-of-a-call.md: the names of their spans, in the order of the pipeline's list. */
const STAGES = ["look up", "check", "admit", "resolve", "recall", "fetch", "normalise"];
export const FETCH_STAGE = STAGES.indexOf("fetch");
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

/** The spans of a call that has ended: its own, one for each stage that was noted, one for each attempt at a node. */
export function spansOf(call: Call, options: SpansOptions): readonly Span[] {
  const { context, newSpanId, aheadMs, durationMs } = options;
  const { traceId, spanId } = context;
  const endedMs = call.begunMs + durationMs;
  const { stages = [], attempts = [] } = call.trace ?? {};
  const part = (
    given: Pick<Span, "name" | "kind" | "attributes" | "isError">,
    own: { readonly parentSpanId: string; readonly spanId: string },
    [from, to]: readonly [number, number],
  ): Span => ({
    ...{ traceId, isParentRemote: false, ...given, ...own },
    ...{ beganMs: from + aheadMs, endedMs: to + aheadMs },
  });
  const spans = [rootOf(call, options)];
  let fetchId = spanId;
  for (let place = 0; place < stages.length; place += 2) {
    const stage = stages[place] ?? 0;
    const own = { parentSpanId: spanId, spanId: newSpanId() };
    if (stage === FETCH_STAGE) fetchId = own.spanId;
    const kind = SPAN_KIND.internal;
    const given = { name: STAGES[stage] ?? "", kind, attributes: {}, isError: false };
    spans.push(part(given, own, [stages[place + 1] ?? 0, stages[place + 3] ?? endedMs]));
  }
  for (const attempt of attempts) {
    const own = { parentSpanId: fetchId, spanId: attempt.spanId || newSpanId() };
    const attributes = attributesOfAttempt(attempt);
    const isError = !GOOD_OUTCOMES.has(attempt.outcome);
    const given = { name: "attempt", kind: SPAN_KIND.client, attributes, isError };
    const isInAir = attempt.endedMs < 0;
    spans.push(part(given, own, [attempt.beganMs, isInAir ? endedMs : attempt.endedMs]));
  }
  return spans;
}

function rootOf(call: Call, { context, aheadMs, durationMs, ...why }: SpansOptions): Span {
  const beganMs = call.begunMs + aheadMs;
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    parentSpanId: context.parentSpanId,
    isParentRemote: context.parentSpanId !== undefined,
    name: call.definition?.method ?? "other",
    kind: SPAN_KIND.server,
    ...{ beganMs, endedMs: beganMs + durationMs },
    attributes: attributesOf(call, why.reason),
    isError: why.isFailed,
  };
}

/** No key, no params, no URL. */
function attributesOf(
  { session, method, error, charged, answer }: Call,
  reason: string,
): Attributes {
  const { identity, network, requestId } = session;
  return {
    "rpc.system": "jsonrpc",
    "rpc.method": redactKeys(cutText(method, MOST_METHOD_CHARS)),
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

function attributesOfAttempt({ upstream, outcome, isHedge }: AttemptTrace): Attributes {
  return {
    "tollgate.upstream": upstream,
    "tollgate.outcome": outcome,
    "tollgate.hedge": isHedge,
  };
}
