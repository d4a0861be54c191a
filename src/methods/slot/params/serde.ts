/** Reads values as agave 3.0 decodes them (serde, serde_json), in its words for what is wrong. */
import { type JsonObject, type JsonValue, NumberToken } from "../../../jsonrpc/value.ts";
import { quote } from "../../params/param-fault.ts";
import { integerOf, numberWords } from "./numbers.ts";
import { SerdeFault, within } from "./serde-fault.ts";

/** The value as it is sent to a node. @throws SerdeFault */
export type Reader = (value: JsonValue) => JsonValue;

const MAX = { u8: 255n, u64: 2n ** 64n - 1n, usize: 2n ** 64n - 1n } as const;

function invalidType(value: JsonValue, expected: string, hint?: string): SerdeFault {
  return new SerdeFault(`invalid type: ${kindWords(value)}, expected ${expected}`, { hint });
}

/** serde_json's words for a value where another kind was expected. */
function kindWords(value: JsonValue): string {
  if (value === null) return "null";
  if (typeof value === "boolean") return `boolean \`${value}\``;
  if (typeof value === "string") return `string ${quote(value)}`;
  if (value instanceof NumberToken) return numberWords(value.text);
  return Array.isArray(value) ? "sequence" : "map";
}

/** An integer from 0 on, sent in plain digits; `33.0` is 33, which agave itself refuses. */
export function unsigned(type: keyof typeof MAX): (value: JsonValue) => NumberToken {
  return (value) => {
    const integer = value instanceof NumberToken ? integerOf(value.text) : undefined;
    if (integer === undefined) throw invalidType(value, type);
    if (integer < 0n || integer > MAX[type]) {
      throw new SerdeFault(`invalid value: integer \`${integer}\`, expected ${type}`);
    }
    return new NumberToken(String(integer));
  };
}

export const boolean: Reader = (value) => {
  if (typeof value !== "boolean") throw invalidType(value, "a boolean");
  return value;
};

export const string = (value: JsonValue): string => {
  if (typeof value !== "string") throw invalidType(value, "a string");
  return value;
};

/** A list, each of its elements read by `element`, of at most `most`. */
export function list(element: Reader, most?: number): (value: JsonValue) => JsonValue[] {
  return (value) => {
    if (!Array.isArray(value)) throw invalidType(value, "a sequence");
    if (most !== undefined && value.length > most) {
      throw new SerdeFault(`Too many inputs provided; max ${most}`, { whole: true });
    }
    return value.map((each, index) => within(`[${index}]`, () => element(each)));
  };
}

/** One of these words; `others` are those that nodes take or took for one of them. */
export function oneOf(
  words: readonly string[],
  others: Readonly<Record<string, string>> = {},
): Reader {
  const known = new Map([...words.map((word) => [word, word] as const), ...Object.entries(others)]);
  return (value) => {
    if (typeof value !== "string") throw invalidType(value, "string or map", choice(words));
    const word = known.get(value);
    if (word === undefined) throw unknown("variant", value, words);
    return word;
  };
}

function unknown(what: "variant" | "field", given: string, known: readonly string[]): SerdeFault {
  const cut = quote(given).slice(1, -1);
  return new SerdeFault(`unknown ${what} \`${cut}\`, expected ${choice(known)}`);
}

/** serde's way to name what there is: `a`, `a` or `b`, one of `a`, `b`, `c`. */
function choice(words: readonly string[]): string {
  const quoted = words.map((word) => `\`${word}\``);
  return quoted.length > 2 ? `one of ${quoted.join(", ")}` : quoted.join(" or ");
}

export type Struct = {
  /** Its name in agave. */
  readonly name: string;
  readonly fields: Readonly<Record<string, Reader>>;
  readonly required?: readonly string[];
};

/**
 * Reads an object of these keys and sends them in alphabetical order, so that equal calls read the
 * same. A null key is absent. An unknown one is refused, which agave would ignore.
 */
export function struct({ name, fields, required = [] }: Struct): (value: JsonValue) => JsonObject {
  const readers = new Map(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));
  const known = [...readers.keys()];
  const hint = `an object with any of the keys ${known.join(", ")}`;
  return (value) => {
    if (!(value instanceof Map)) throw invalidType(value, `struct ${name}`, hint);
    for (const key of value.keys()) if (!readers.has(key)) throw unknown("field", key, known);
    const read: JsonObject = new Map();
    for (const [key, reader] of readers) {
      const given = value.get(key) ?? null;
      if (given !== null)
        read.set(
          key,
          within(key, () => reader(given)),
        );
    }
    const missing = required.find((key) => !read.has(key));
    if (missing !== undefined) throw new SerdeFault(`missing field \`${missing}\``);
    return read;
  };
}

/** Reads an object of exactly one of these keys; `words` may stand alone, as strings. */
export function tagged(variants: Readonly<Record<string, Reader>>, words: readonly string[] = []) {
  const readers = new Map(Object.entries(variants));
  const known = [...readers.keys(), ...words];
  return (value: JsonValue): JsonValue => {
    if (typeof value === "string" && words.includes(value)) return value;
    if (typeof value === "string" && !readers.has(value)) throw unknown("variant", value, known);
    if (!(value instanceof Map)) throw invalidType(value, "string or map", oneKey(readers));
    const [member, ...more] = value;
    if (member === undefined || more.length > 0) {
      const fault = "invalid value: map, expected map with a single key";
      throw new SerdeFault(fault, { hint: oneKey(readers) });
    }
    const [key, given] = member;
    const reader = readers.get(key);
    if (reader === undefined) throw unknown("variant", key, known);
    return new Map([[key, within(key, () => reader(given))]]);
  };
}

const oneKey = (readers: ReadonlyMap<string, Reader>): string =>
  `an object of one key: ${choice([...readers.keys()])}`;
