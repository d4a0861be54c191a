/** The kinds that are made here, by OTLP's numbers. */
export const SPAN_KIND = Object.freeze({ internal: 1, server: 2, client: 3 });
const STATUS = Object.freeze({ unset: 0, error: 2 });
/** Of `flags`: it is recorded; whether its parent is of another process is known; it is. */
const [RECORDED, PARENT_IS_KNOWN, PARENT_IS_REMOTE] = [0x1, 0x100, 0x200];

export type AttributeValue = string | number | boolean;
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
  readonly name: string;
  readonly kind: number;
  /** Unix milliseconds, with fractions. */
  readonly beganMs: number;
  readonly endedMs: number;
  readonly attributes: Attributes;
  readonly isError: boolean;
};

/**
 * A span as OTLP writes it in JSON (opentelemetry-proto, `trace/v1/trace.proto`). The text is joined by hand: a
 * traced call has some nine spans, and `JSON.stringify` of the whole takes longer than all else that is done for one.
 * That it has no events and no links is left out, which says the same in protobuf's JSON and is a quarter of the bytes.
 */
export function encodeSpan(span: Span): string {
  const { traceId, spanId, parentSpanId, kind } = span;
  const parent = parentSpanId === undefined ? "" : `"parentSpanId":"${parentSpanId}",`;
  const remote = span.isParentRemote ? PARENT_IS_REMOTE : 0;
  const flags = RECORDED | PARENT_IS_KNOWN | remote;
  const code = span.isError ? STATUS.error : STATUS.unset;
  const [from, to] = [unixNanos(span.beganMs), unixNanos(span.endedMs)];
  return `{"traceId":"${traceId}","spanId":"${spanId}",${parent}"name":${JSON.stringify(span.name)},"kind":${kind},"startTimeUnixNano":"${from}","endTimeUnixNano":"${to}","attributes":${encodeAttributes(span.attributes)},"status":{"code":${code}},"flags":${flags}}`;
}

/** What is before and behind the spans of one process in a request: `spans` are joined by commas. */
export function requestFrame(
  service: Attributes,
  scope: { readonly name: string; readonly version: string },
): readonly [before: string, behind: string] {
  const resource = `{"attributes":${encodeAttributes(service)},"droppedAttributesCount":0}`;
  const by = JSON.stringify(scope);
  return [
    `{"resourceSpans":[{"resource":${resource},"scopeSpans":[{"scope":${by},"spans":[`,
    "]}]}]}",
  ];
}

/** Microseconds are what a double holds of today's time. Two small numbers are written faster than one of 16 digits. */
function unixNanos(unixMs: number): string {
  const micros = Math.round(unixMs * 1000);
  const seconds = Math.floor(micros / 1e6);
  const digits = String(1e6 + (micros - seconds * 1e6));
  return `${seconds}${digits.slice(1)}000`;
}

function encodeAttributes(attributes: Attributes): string {
  if (attributes === NO_ATTRIBUTES) return "[]";
  let text = "";
  for (const key in attributes) {
    const value = attributes[key];
    if (value === undefined) continue;
    if (text !== "") text += ",";
    text += `{"key":${JSON.stringify(key)},"value":{${encodeValue(value)}}}`;
  }
  return `[${text}]`;
}

function encodeValue(value: AttributeValue): string {
  if (typeof value === "string") return `"stringValue":${JSON.stringify(value)}`;
  if (typeof value === "boolean") return `"boolValue":${value}`;
  return Number.isInteger(value) ? `"intValue":${value}` : `"doubleValue":${value}`;
}
