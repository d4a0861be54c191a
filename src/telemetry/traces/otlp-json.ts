/** The kinds that are made here, by OTLP's numbers. */
export const SPAN_KIND = Object.freeze({ internal: 1, server: 2, client: 3 });
const STATUS = Object.freeze({ unset: 0, error: 2 });
/** Of `flags`: it is recorded; whether its parent is of another process is known; it is. */
const [RECORDED, PARENT_IS_KNOWN, PARENT_IS_REMOTE] = [0x1, 0x100, 0x200];

export type AttributeValue = string | number | boolean;
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

/** A part of a call's time. */
export type Span = {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits, of the span and of its parent. */
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  /** Whether the parent is another process's. */
  readonly isParentRemote: boolean;
  readonly name: string;
  readonly kind: number;
  /** Unix milliseconds, with fractions. */
  readonly beganMs: number;
  readonly endedMs: number;
  readonly attributes: Attributes;
  readonly isError: boolean;
};

/** A span as OTLP writes it in JSON (opentelemetry-proto, `trace/v1/trace.proto`). */
export function encodeSpan(span: Span): string {
  const { traceId, spanId, parentSpanId, name, kind } = span;
  const remote = span.isParentRemote ? PARENT_IS_REMOTE : 0;
  return JSON.stringify({
    ...{ traceId, spanId, parentSpanId, name, kind },
    startTimeUnixNano: unixNanos(span.beganMs),
    endTimeUnixNano: unixNanos(span.endedMs),
    attributes: attributesOf(span.attributes),
    droppedAttributesCount: 0,
    events: [],
    droppedEventsCount: 0,
    status: { code: span.isError ? STATUS.error : STATUS.unset },
    links: [],
    droppedLinksCount: 0,
    flags: RECORDED | PARENT_IS_KNOWN | remote,
  });
}

/** What is before and behind the spans of one process in a request: `spans` are joined by commas. */
export function requestFrame(
  service: Attributes,
  scope: { readonly name: string; readonly version: string },
): readonly [before: string, behind: string] {
  const resource = { attributes: attributesOf(service), droppedAttributesCount: 0 };
  const [of, by] = [JSON.stringify(resource), JSON.stringify(scope)];
  return [`{"resourceSpans":[{"resource":${of},"scopeSpans":[{"scope":${by},"spans":[`, "]}]}]}"];
}

/** Microseconds are what a double holds of today's time. */
function unixNanos(unixMs: number): string {
  return `${Math.round(unixMs * 1000)}000`;
}

function attributesOf(attributes: Attributes): readonly object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: otlpValue(value) }],
  );
}

function otlpValue(value: AttributeValue): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isInteger(value) ? { intValue: value } : { doubleValue: value };
}
