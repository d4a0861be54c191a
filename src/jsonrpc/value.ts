/**
 * JSON as the gateway reads it: objects are Maps (so `__proto__` is a key like any other and the
 * last of duplicate keys counts), and a number keeps the text it was written with, so that integers
 * beyond 2^53 and forms like `1.0` survive.
 */
export type JsonValue = null | boolean | string | NumberToken | JsonValue[] | JsonObject;
export type JsonObject = Map<string, JsonValue>;

export class NumberToken {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Nothing in it that JSON writes otherwise. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** The value as JSON text, numbers as they were written. */
export function encode(value: JsonValue | readonly JsonValue[]): string {
  if (typeof value === "string") return PLAIN.test(value) ? `"${value}"` : JSON.stringify(value);
  if (value === null || typeof value === "boolean") return String(value);
  if (value instanceof NumberToken) return value.text;
  if (!(value instanceof Map)) {
    let elements = "";
    for (const element of value) elements += `${elements === "" ? "" : ","}${encode(element)}`;
    return `[${elements}]`;
  }
  let members = "";
  for (const [key, member] of value) {
    members += `${members === "" ? "" : ","}${encode(key)}:${encode(member)}`;
  }
  return `{${members}}`;
}

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
