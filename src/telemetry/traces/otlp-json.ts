/** The kinds that are made here, by OTLP's numbers. */
export const SPAN_KIND = Object.freeze({ internal: 1, server: 2, client: 3 });
const STATUS = Object.freeze({ unset: 0, error: 2 });
/** Of `flags`: it is recorded; whether its parent is of another process is known; it is. */
const [RECORDED, PARENT_IS_KNOWN, PARENT_IS_REMOTE] = [0x1, 0x100, 0x200];

export type AttributeValue = string | number | boolean;
/** Their names are written as they are: letters, digits, `.` and `_`. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;
export const NO_ATTRIBUTES: Attributes = Object.freeze({});

/** A part of a call's time. */
export type Span = {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits, of the span and of its parent. */
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  /** Whether the parent is another process's. */
  readonly isParentRemote: boolean;
  /** Written as it is: letters, digits, spaces and `_`. */
  readonly name: string;
  readonly kind: number;
  /** Unix milliseconds, with fractions. */
  readonly beganMs: number;
  readonly endedMs: number;
  readonly attributes: Attributes;
  readonly isError: boolean;
};

/**
 * Spans as OTLP writes them in JSON (opentelemetry-proto, `trace/v1/trace.proto`), joined by commas. The text is built
 * from left to right: a traced call has some nine spans, `JSON.stringify` of them takes longer than all else that is done
 * for one, and a string that is put together of others costs a third more. That a span has no events and no links is left
 * out, which says the same in protobuf's JSON and is a quarter of the bytes.
 */
export function encodeSpans(spans: readonly Span[]): string {
  let text = "";
  for (const span of spans) text = withSpan(text === "" ? "" : `${text},`, span);
  return text;
}

/** What is before and behind the spans of one process in a request: `spans` are joined by commas. */
export function requestFrame(
  service: Attributes,
  scope: { readonly name: string; readonly version: string },
): readonly [before: string, behind: string] {
  const resource = `${withAttributes('{"attributes":[', service)}],"droppedAttributesCount":0}`;
  const by = JSON.stringify(scope);
  return [
    `{"resourceSpans":[{"resource":${resource},"scopeSpans":[{"scope":${by},"spans":[`,
    "]}]}]}",
  ];
}

function withSpan(before: string, span: Span): string {
  const { parentSpanId, attributes } = span;
  const remote = span.isParentRemote ? PARENT_IS_REMOTE : 0;
  const flags = RECORDED | PARENT_IS_KNOWN | remote;
  const code = span.isError ? STATUS.error : STATUS.unset;
  let text = `${before}{"traceId":"${span.traceId}","spanId":"${span.spanId}`;
  if (parentSpanId !== undefined) text = `${text}","parentSpanId":"${parentSpanId}`;
  text = `${text}","name":"${span.name}","kind":${span.kind},"startTimeUnixNano":"`;
  text = `${withUnixNanos(text, span.beganMs)}","endTimeUnixNano":"`;
  text = `${withUnixNanos(text, span.endedMs)}","attributes":[`;
  if (attributes !== NO_ATTRIBUTES) text = withAttributes(text, attributes);
  return `${text}],"status":{"code":${code}},"flags":${flags}}`;
}

/** Microseconds are what a double holds of today's time. Two small numbers are written faster than one of 16 digits. */
function withUnixNanos(text: string, unixMs: number): string {
  const micros = Math.round(unixMs * 1000);
  const seconds = Math.floor(micros / 1e6);
  const digits = String(1e6 + (micros - seconds * 1e6));
  return `${text}${seconds}${digits.slice(1)}000`;
}

function withAttributes(before: string, attributes: Attributes): string {
  let text = before;
  let begin = '{"key":"';
  for (const key in attributes) {
    const value = attributes[key];
    if (value === undefined) continue;
    text = `${text}${begin}${key}","value":{`;
    if (typeof value === "string") text = `${text}"stringValue":${JSON.stringify(value)}}}`;
    else if (typeof value === "boolean") text = `${text}"boolValue":${value}}}`;
    else text = `${text}${Number.isInteger(value) ? '"intValue":' : '"doubleValue":'}${value}}}`;
    begin = ',{"key":"';
  }
  return text;
}
