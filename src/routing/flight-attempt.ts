import type { MonotonicMs } from "../lib/clock.ts";
import { OVERTAKEN, type SpanContext, type TracedAttempt } from "../telemetry/traces/call-trace.ts";
import { writeTraceparent } from "../telemetry/traces/traceparent.ts";
import type { Asker, InAir, UpstreamRequest } from "../transports/transport.ts";
import type { UpstreamAnswer } from "../transports/upstream-answer.ts";
import { Attempt } from "../upstreams/attempt.ts";
import type { Upstream } from "../upstreams/upstream.ts";
import type { Source } from "./findings.ts";
import type { FlightParts, RoutedRequest } from "./routing.ts";

/** A request that another one overtook shows by then whether its node answers at all, */
const STALLED_MS = 1000;
/** or by so many times what nearly all calls take: a slow node is none that hangs. */
const STALLED_TIMES = 2;

/** The flight or volley that an attempt belongs to. */
export type AttemptOwner = { answered(sent: FlightAttempt, answer: UpstreamAnswer): void };

export type AttemptOptions = Source & {
  readonly request: RoutedRequest;
  readonly timeoutMs: number;
  /** The one that it is sent beside, because that is slow. */
  readonly beside: Upstream | undefined;
};

/**
 * An attempt for a client's call. It is the request, too, and who is told the answer: a call in the
 * air costs by what there is of it (docs/performance-log.md).
 */
export class FlightAttempt
  extends Attempt
  implements UpstreamRequest, Asker, Source, TracedAttempt
{
  readonly request: RoutedRequest;
  readonly timeoutMs: number;
  readonly behind: boolean;
  readonly beside: Upstream | undefined;
  endedMs: MonotonicMs = -1;
  outcome = OVERTAKEN;
  context: SpanContext | undefined;
  earlier: TracedAttempt | undefined;
  inAir: InAir | undefined;
  owner: AttemptOwner;

  constructor(options: AttemptOptions, owner: AttemptOwner) {
    super(options.upstream, options.beganMs);
    this.request = options.request;
    this.timeoutMs = options.timeoutMs;
    this.behind = options.behind;
    this.beside = options.beside;
    this.owner = owner;
    this.request.attempted?.(this);
  }

  get method(): string {
    return this.request.need.method;
  }

  get params(): string {
    return this.request.params;
  }

  /** Partners are not told. */
  get traceparent(): string | undefined {
    const { context, upstream } = this;
    if (context === undefined || upstream.role === "partner") return undefined;
    return writeTraceparent(context.traceId, context.spanId);
  }

  get account(): string | undefined {
    return this.request.account;
  }

  get keyId(): string | undefined {
    return this.request.keyId;
  }

  /** `outcome`: as the metrics count it. */
  ended(nowMs: MonotonicMs, outcome: string): void {
    this.endedMs = nowMs;
    this.outcome = outcome;
  }

  answered(answer: UpstreamAnswer): void {
    this.owner.answered(this, answer);
  }
}

/** It is in the air no more; nearly always it is the only one. */
export function take(sent: FlightAttempt, inAir: FlightAttempt[]): void {
  if (inAir[inAir.length - 1] === sent) inAir.pop();
  else inAir.splice(inAir.indexOf(sent), 1);
}

/** Overtaken: what it still says tells of its node, which stalls where it says nothing at all. */
export function leave(
  sent: FlightAttempt,
  inAir: FlightAttempt[],
  { parts, now }: { readonly parts: FlightParts; readonly now: MonotonicMs },
): void {
  const { beside, beganMs } = sent;
  if (beside !== undefined) parts.observer.hedged(beside.name, "lost");
  const stalledMs = Math.max(STALLED_MS, STALLED_TIMES * (parts.latency.value() ?? 0));
  // The node has it for as long as it did not wait for a connection.
  const stalledAtMs = () => beganMs + (sent.inAir?.waitedMs ?? 0) + stalledMs;
  const lookAt = (atMs: MonotonicMs, fromMs: number) => {
    parts.timers.set(Math.max(atMs - fromMs, 0), () => {
      if (!inAir.includes(sent)) return;
      if (stalledAtMs() > atMs) {
        lookAt(stalledAtMs(), atMs);
        return;
      }
      take(sent, inAir);
      const isUnsent = sent.inAir?.isWaiting === true;
      sent.inAir?.cancel();
      // A node that was not asked does not stall.
      if (isUnsent) sent.upstream.end(sent, "no_place");
      else sent.upstream.abandon(sent);
    });
  };
  lookAt(stalledAtMs(), now);
}
