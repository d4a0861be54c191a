/** Where a caller's own trace stands: W3C Trace Context, `traceparent`. */
export type TraceParent = {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits: the caller's span. */
  readonly spanId: string;
  /** Whether the caller records its own part. */
  readonly isSampled: boolean;
};

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const UNKNOWN_VERSION = "ff";
const SAMPLED = 1;

/** The header's value; undefined where it is none, which the specification says to ignore. */
export function readTraceparent(header: string): TraceParent | undefined {
  const [, version, traceId = "", spanId = "", flags = "", more] = FORM.exec(header) ?? [];
  if (version === undefined || version === UNKNOWN_VERSION) return undefined;
  if (version === "00" && more !== undefined) return undefined;
  if (isZero(traceId) || isZero(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
}

/** The header for a node that is asked as a part of this span, which is recorded. */
export function writeTraceparent(traceId: string, spanId: string): string {
  return `00-${traceId}-${spanId}-01`;
}

const isZero = (id: string): boolean => /^0+$/.test(id);
