/** Numbers that may be integers beyond 2^53, which JSON.parse would round; a text in a string is harmless. */
const WIDE = /[[:,]\s*(-?(?:\d{17}|9\d{15})[\d.eE+-]*)/g;

/** TypeScript's library does not know these yet; Node 24 has them. */
type Exactly = {
  readonly rawJSON: (text: string) => object;
  readonly isRawJSON: (value: unknown) => boolean;
  readonly parse: (
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source: string }) => unknown,
  ) => unknown;
};
const exactly = JSON as unknown as Exactly;

/**
 * JSON.parse, but an integer beyond 2^53 becomes what JSON.stringify writes as it was.
 * @throws SyntaxError, or RangeError where it is nested too deeply
 */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const sources = sourcesIn(text);
  if (sources.size === 0) return value;
  // JSON.parse tells a value's own text, but takes ten times as long: only where two are alike.
  return restore(value, sources) ?? parseSlowly(text);
}

/** The texts of wide numbers by their rounded values; undefined for a value that has two. */
function sourcesIn(text: string): Map<number, string | undefined> {
  const sources = new Map<number, string | undefined>();
  for (const [, source = ""] of text.matchAll(WIDE)) {
    const rounded = Number(source);
    const isAlone = !sources.has(rounded) || sources.get(rounded) === source;
    sources.set(rounded, isAlone ? source : undefined);
  }
  return sources;
}

/** Undefined where the text of a value is not known; what was replaced until then stays so. */
function restore(value: unknown, sources: Map<number, string | undefined>): unknown {
  if (typeof value === "number") {
    if (!isRounded(value)) return value;
    const source = sources.get(value);
    return source === undefined ? undefined : exactly.rawJSON(source);
  }
  if (typeof value !== "object" || value === null) return value;
  const members = value as Record<string, unknown>;
  for (const key in members) {
    const member = members[key];
    if (typeof member === "string") continue;
    const restored = restore(member, sources);
    if (restored === undefined) return undefined;
    if (restored !== member) members[key] = restored;
  }
  return value;
}

function parseSlowly(text: string): unknown {
  return exactly.parse(text, (_key, value, { source }) =>
    isRounded(value) ? exactly.rawJSON(source) : value,
  );
}

const isRounded = (value: unknown): boolean =>
  Number.isInteger(value) && !Number.isSafeInteger(value);

/** Whether a value of `parseExact` is an integer, of any size. */
export const isInteger = (value: unknown): boolean =>
  Number.isInteger(value) || exactly.isRawJSON(value);
