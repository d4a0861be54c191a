/** A number that JavaScript would round: the text that it was written with. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Context = { readonly source?: string };

/**
 * JSON whose numbers stay as they were written: slots and lamports go up to 2^64. A browser that
 * does not tell a number's text (before 2025) gives the rounded one.
 * @throws SyntaxError
 */
export function parseLossless(text: string): unknown {
  const keep = (_: string, value: unknown, context?: Context): unknown => {
    const source = context?.source;
    if (typeof value !== "number" || source === undefined) return value;
    return String(value) === source ? value : new ExactNumber(source);
  };
  return JSON.parse(text, keep) as unknown;
}

/** The same text with line breaks and indents; as it is where it is no JSON. */
export function prettyJson(text: string): string {
  try {
    return print(parseLossless(text), "");
  } catch {
    return text;
  }
}

function print(value: unknown, indent: string): string {
  if (value instanceof ExactNumber) return value.text;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((item) => inner + print(item, inner))
    : Object.entries(value).map(
        ([key, item]) => `${inner}${JSON.stringify(key)}: ${print(item, inner)}`,
      );
  const [open, close] = isList ? "[]" : "{}";
  return parts.length === 0
    ? `${open}${close}`
    : `${open}\n${parts.join(",\n")}\n${indent}${close}`;
}
