import type { MonotonicMs } from "../../lib/clock.ts";
import { writeTraceparent } from "./traceparent.ts";

/** What a span is known by. */
export type SpanContext = {
  readonly traceId: string;
  readonly spanId: string;
  /** The caller's span, where the caller told it. */
  readonly parentSpanId?: string | undefined;
};

export type TracedNode = { readonly name: string; readonly role: "primary" | "partner" };

/** What an attempt came to where its call ended before it did. */
const OVERTAKEN = "overtaken";

/** One attempt at a node. */
export class AttemptTrace {
  readonly upstream: string;
  readonly beganMs: MonotonicMs;
  /** Whether it was sent beside one that was slow. */
  readonly isHedge: boolean;
  /** Empty where the call is not known to be recorded yet. */
  readonly spanId: string;
  /** The header for the node: partners are not told. */
  readonly traceparent: string | undefined;
  /** -1: it is in the air. */
  endedMs = -1;
  outcome = OVERTAKEN;

  constructor(
    node: TracedNode,
    { beganMs, isHedge }: { readonly beganMs: MonotonicMs; readonly isHedge: boolean },
    context: SpanContext | undefined,
  ) {
    this.upstream = node.name;
    this.beganMs = beganMs;
    this.isHedge = isHedge;
    this.spanId = context?.spanId ?? "";
    const isTold = context !== undefined && node.role === "primary";
    this.traceparent = isTold ? writeTraceparent(context.traceId, context.spanId) : undefined;
  }

  /** `outcome`: as the metrics count it. */
  answered(nowMs: MonotonicMs, outcome: string): void {
    this.endedMs = nowMs;
    this.outcome = outcome;
  }
}

/**
 * What is noted of a call while it runs: times, and the attempts at nodes. Spans are made of it once the call has
 * ended, if at all: of a call that was not chosen before, only where it was slow or failed.
 */
export class CallTrace {
  /** Absent where it was not chosen before it began. */
  readonly context: SpanContext | undefined;
  /** Numbers of stages, and when each began. */
  readonly stages: number[];
  /** Absent where no node was asked. */
  attempts: AttemptTrace[] | undefined;
  readonly #newSpanId: () => string;

  /** `stages`: those that have begun. */
  constructor(context: SpanContext | undefined, newSpanId: () => string, stages: number[]) {
    this.context = context;
    this.stages = stages;
    this.attempts = undefined;
    this.#newSpanId = newSpanId;
  }

  /** The call comes to this stage. */
  enter(stage: number, nowMs: MonotonicMs): void {
    this.stages.push(stage, nowMs);
  }

  /** A node is asked. */
  attempt(node: TracedNode, beganMs: MonotonicMs, isHedge: boolean): AttemptTrace {
    const { context } = this;
    const own = context && { traceId: context.traceId, spanId: this.#newSpanId() };
    const attempt = new AttemptTrace(node, { beganMs, isHedge }, own);
    if (this.attempts === undefined) this.attempts = [attempt];
    else this.attempts.push(attempt);
    return attempt;
  }
}
