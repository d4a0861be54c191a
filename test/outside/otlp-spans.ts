import { ROOT_CONTEXT, SpanStatusCode, TraceFlags, trace } from "@opentelemetry/api";
import { JsonTraceSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import type { Span } from "../../src/telemetry/traces/otlp-json.ts";

/** What OpenTelemetry's own SDK would send a collector of these spans, parsed. */
export function otlpOf(
  spans: readonly Span[],
  service: Readonly<Record<string, string>>,
  scope: { readonly name: string; readonly version: string },
): unknown {
  const exporter = new InMemorySpanExporter();
  let next: Span | undefined;
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes(service),
    sampler: new AlwaysOnSampler(),
    spanProcessors: [new SimpleSpanProcessor(exporter)],
    idGenerator: {
      generateTraceId: () => next?.traceId ?? "",
      generateSpanId: () => next?.spanId ?? "",
    },
  });
  const tracer = provider.getTracer(scope.name, scope.version);
  for (const one of spans) {
    next = one;
    const context =
      one.parentSpanId === undefined
        ? ROOT_CONTEXT
        : trace.setSpanContext(ROOT_CONTEXT, {
            traceId: one.traceId,
            spanId: one.parentSpanId,
            traceFlags: TraceFlags.SAMPLED,
            isRemote: one.isParentRemote,
          });
    const options = {
      // The API counts them from 0, OTLP from 1.
      kind: one.kind - 1,
      startTime: timeOf(one.beganMs),
      attributes: one.attributes,
    };
    const span = tracer.startSpan(one.name, options, context);
    if (one.isError) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(timeOf(one.endedMs));
  }
  const bytes = JsonTraceSerializer.serializeRequest(exporter.getFinishedSpans());
  return JSON.parse(new TextDecoder().decode(bytes));
}

/** Seconds and nanoseconds, of whole microseconds. */
function timeOf(unixMs: number): [number, number] {
  const micros = Math.round(unixMs * 1000);
  const seconds = Math.floor(micros / 1e6);
  return [seconds, (micros - seconds * 1e6) * 1000];
}
