import type { Config } from "../config/schema.ts";
import { ERRORS, type RpcError } from "../jsonrpc/errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import { AttemptBudget } from "../routing/attempt-budget.ts";
import { CallTrace, type SpanContext } from "../telemetry/traces/call-trace.ts";
import type { Span } from "../telemetry/traces/otlp-json.ts";
import type { SpanExporter } from "../telemetry/traces/span-exporter.ts";
import { SpanIds } from "../telemetry/traces/span-ids.ts";
import { readTraceparent, type TraceParent } from "../telemetry/traces/traceparent.ts";
import type { Call } from "./call.ts";
import { spansOf } from "./call-spans.ts";

/** Calls whose own caller records them, beside those chosen by `ratio`: so many times as many. */
const CALLERS_SHARE = 10;
/** What callers that ask for it seldom have at once. */
const CALLERS_SAVED = 100;
const SERVICE_FAILURE_STATUS = 500;

type Options = Pick<NonNullable<Config["traces"]>, "ratio" | "slowMs">;
type Reason = "ratio" | "caller" | "slow" | "failed";

export type TracesParts = {
  readonly clock: Clock;
  readonly exporter: Pick<SpanExporter, "add" | "hasRoom" | "dropped">;
  /** 0 to 1, evenly. */
  readonly random: () => number;
  /** For ids. */
  readonly bytes: Random;
};

/**
 * Chooses the calls that are traced, and makes spans of them: a share of all, those whose caller traces them, and,
 * once they have ended, those that were slow or that the service failed.
 */
export class Traces {
  readonly #options: Options;
  readonly #parts: TracesParts;
  readonly #callers: AttemptBudget;
  readonly #ids: SpanIds;
  /** The header that was read last: the calls of a batch have the same. */
  #header = "";
  #parent: TraceParent | undefined;

  constructor(options: Options, parts: TracesParts) {
    this.#options = options;
    this.#parts = parts;
    this.#ids = new SpanIds(parts.bytes);
    this.#callers = new AttemptBudget(CALLERS_SHARE * options.ratio, CALLERS_SAVED);
  }

  /** A call begins, with this `traceparent` of its client; undefined: it is not chosen. */
  begin(header: string | undefined): CallTrace | undefined {
    this.#callers.called();
    const isChosen = this.#parts.random() < this.#options.ratio;
    const parent = this.#parentOf(header);
    if (parent === undefined) return isChosen ? this.#open(undefined) : undefined;
    return parent.isSampled && this.#callers.tryTake() ? this.#open(parent) : undefined;
  }

  /** A call has ended, after so long. */
  ended(call: Call, durationMs: number): void {
    const reason = this.#reasonOf(call, durationMs);
    if (reason === undefined) return;
    const { exporter } = this.#parts;
    if (!exporter.hasRoom) {
      exporter.dropped += 1;
      return;
    }
    exporter.add(this.#spansOf(call, durationMs, reason));
  }

  #reasonOf({ trace, error }: Call, durationMs: number): Reason | undefined {
    const context = trace?.context;
    if (context !== undefined) return context.parentSpanId === undefined ? "ratio" : "caller";
    if (hasFailed(error)) return "failed";
    return durationMs >= this.#options.slowMs ? "slow" : undefined;
  }

  #open(parent: TraceParent | undefined): CallTrace {
    return new CallTrace(this.#context(parent), this.#ids.newSpanId);
  }

  #context(parent: TraceParent | undefined): SpanContext {
    const traceId = parent?.traceId ?? this.#ids.newTraceId();
    return { traceId, spanId: this.#ids.newSpanId(), parentSpanId: parent?.spanId };
  }

  #spansOf(call: Call, durationMs: number, reason: Reason): readonly Span[] {
    const { clock } = this.#parts;
    const parent = this.#parentOf(call.session.traceparent);
    return spansOf(call, {
      context: call.trace?.context ?? this.#context(parent),
      ...{ reason, durationMs, isFailed: hasFailed(call.error) },
      aheadMs: clock.now() - clock.monotonic(),
      newSpanId: this.#ids.newSpanId,
    });
  }

  #parentOf(header: string | undefined): TraceParent | undefined {
    if (header === undefined) return undefined;
    if (header !== this.#header) {
      this.#header = header;
      this.#parent = readTraceparent(header);
    }
    return this.#parent;
  }
}

/** Whether the service itself failed the call. */
function hasFailed(error: RpcError | undefined): boolean {
  return error !== undefined && ERRORS[error.name].status >= SERVICE_FAILURE_STATUS;
}
