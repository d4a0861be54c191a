/**
 * JSON as the gateway reads it: objects are Maps (so `__proto__` is a key like any other and the
 * last of duplicate keys counts), and a number keeps the text it was written with, so that integers
 * beyond 2^53 and forms like `1.0` survive.
 */
export type JsonValue = null | boolean | string | NumberToken | JsonValue[] | JsonObject;
export type JsonObject = Map<string, JsonValue> & {
  /**
   * Its own text in the message, where that is to the letter what `encode` makes of it. So nobody
   * changes an object that was read: whoever wants another one makes it.
   */
  source?: string;
};

export class NumberToken {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Nothing in it that JSON writes otherwise. */
const PLAIN = /^[ !#-[\]-~]*$/;

/**
 * The value as JSON text, numbers as they were written. All of it is ASCII, so that it has as many
 * bytes as characters and goes into a request as it is.
 */
export function encode(value: JsonValue | readonly JsonValue[]): string {
  if (typeof value === "string") return PLAIN.test(value) ? `"${value}"` : escaped(value);
  if (value === null || typeof value === "boolean") return String(value);
  if (value instanceof NumberToken) return value.text;
  if (!isObject(value)) {
    let elements = "";
    for (const element of value) elements += `${elements === "" ? "" : ","}${encode(element)}`;
    return `[${elements}]`;
  }
  if (value.source !== undefined) return value.source;
  let members = "";
  for (const [key, member] of value) {
    members += `${members === "" ? "" : ","}${encode(key)}:${encode(member)}`;
  }
  return `{${members}}`;
}

/** As JSON.stringify does it, and what is not ASCII likewise. */
function escaped(text: string): string {
  const unit = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(text).replace(/[\u0080-\uffff]/g, unit);
}

const isObject = (value: JsonObject | readonly JsonValue[]): value is JsonObject =>
  value instanceof Map;

/** The word Go's decoder uses for a value's kind in its error texts. */
export function kindOf(
  value: JsonValue,
): "null" | "bool" | "string" | "number" | "array" | "object" {
  if (value === null) return "null";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  if (value instanceof NumberToken) return "number";
  return Array.isArray(value) ? "array" : "object";
}
