import type { MonotonicMs } from "../../lib/clock.ts";

/** What a span is known by. */
export type SpanContext = {
  readonly traceId: string;
  readonly spanId: string;
  /** The caller's span, where the caller told it. */
  readonly parentSpanId?: string | undefined;
};

/** What an attempt came to where its call ended before it did. */
export const OVERTAKEN = "overtaken";

/** An attempt at a node, as the spans of its call tell of it. */
export type TracedAttempt = {
  readonly upstream: { readonly name: string };
  readonly beganMs: MonotonicMs;
  /** The slow node that it was sent beside. */
  readonly beside: object | undefined;
  /** -1: it is in the air. */
  readonly endedMs: MonotonicMs;
  /** As the metrics count it. */
  readonly outcome: string;
  /** Absent where its call was not chosen before it began. */
  context: SpanContext | undefined;
  /** The one before it of the same call. */
  earlier: TracedAttempt | undefined;
};

/** What is noted of a call that was chosen before it began, while it runs. Spans are made of it once it has ended. */
export class CallTrace {
  readonly context: SpanContext;
  /** Numbers of stages, and when each began. */
  readonly stages: number[] = [];
  readonly #newSpanId: () => string;

  constructor(context: SpanContext, newSpanId: () => string) {
    this.context = context;
    this.#newSpanId = newSpanId;
  }

  /** The call comes to this stage. */
  enter(stage: number, nowMs: MonotonicMs): void {
    this.stages.push(stage, nowMs);
  }

  /** Of the span of a new attempt. */
  contextOfAttempt(): SpanContext {
    return { traceId: this.context.traceId, spanId: this.#newSpanId() };
  }
}
