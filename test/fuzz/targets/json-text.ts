import { isUtf8 } from "node:buffer";
import { JsonReader, JsonSyntaxError } from "../../../src/jsonrpc/json-reader.ts";
import { parseMessage } from "../../../src/jsonrpc/parse-message.ts";
import { encode, type JsonValue, NumberToken } from "../../../src/jsonrpc/value.ts";
import { memberFinder, scanArray, scanObject } from "../../../src/lib/json-scan.ts";
import { MAX_NESTING, skipSpace, valueEnd, viewOf } from "../../../src/lib/json-value.ts";
import { tokens } from "../../envelope/oracle.ts";
import { demandEqual } from "../demand.ts";

const FINDERS = ["result", "blockHash", "a"].map((name) => ({ name, find: memberFinder(name) }));

export const WORDS = [
  ...[
    '{"jsonrpc":"2.0","id":',
    '"method":"eth_call"',
    '"params":[',
    '"result":',
    '"blockHash":',
    '"a":1',
  ],
  ...[
    "true",
    "false",
    "null",
    "-0",
    "1e5",
    "1.5",
    "0.0E-2",
    "12345678901234567890",
    "[[[[",
    "]]]]",
    '"__proto__":',
  ],
  ...[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    "\\",
    '\\"',
    "\\u00e9",
    "\\ud83d",
    "\\n",
    "\xc3\xa9",
    "\xff",
    "\x00",
  ],
];

type Json = null | boolean | string | number | Json[] | { [key: string]: Json };

/** What is JSON for JSON.parse is JSON for each of our readers, and says the same; nothing else is. */
export function fuzz(data: Buffer): void {
  parseMessage(data);
  // Bytes above ASCII stand within strings or make it no JSON, whatever they say.
  const encoding = isUtf8(data) ? "utf8" : "latin1";
  const known = parsed(data.toString(encoding));
  if (encoding === "utf8") readsAsKnown(data, known);
  if (bracketsIn(data) <= MAX_NESTING) scansAsKnown(data, known, encoding);
}

function readsAsKnown(data: Buffer, known: Parsed): void {
  const reader = new JsonReader(data);
  let value: JsonValue;
  try {
    value = reader.sourced(1);
    if (!Number.isNaN(reader.peek())) reader.fail();
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    demandEqual(false, known.isJson, "whether it is JSON for the reader");
    return;
  }
  demandEqual(true, known.isJson, "whether it is JSON for the reader");
  // What is nested deeper reads as null.
  if (reader.tooDeep) return;
  demandSame(value, known.value as Json);
  const { sourceText } = reader;
  if (sourceText !== undefined) demandEqual(encode(value), sourceText, "its text");
  demandSame(value, parsed(encode(value)).value as Json);
}

function demandSame(ours: JsonValue, theirs: Json): void {
  if (ours instanceof NumberToken) {
    demandEqual(Number(ours.text), theirs, "a number");
  } else if (ours instanceof Map) {
    if (typeof theirs !== "object" || theirs === null || Array.isArray(theirs)) {
      throw new Error("an object where none is");
    }
    demandEqual([...ours.keys()].sort().join(), Object.keys(theirs).sort().join(), "the keys");
    for (const [key, member] of ours) {
      demandSame(member, Object.getOwnPropertyDescriptor(theirs, key)?.value as Json);
    }
  } else if (Array.isArray(ours)) {
    if (!Array.isArray(theirs)) throw new Error("an array where none is");
    demandEqual(ours.length, theirs.length, "the number of elements");
    for (const [index, element] of ours.entries()) demandSame(element, theirs[index] as Json);
  } else {
    demandEqual(ours, theirs, "a value");
  }
}

function scansAsKnown(data: Buffer, known: Parsed, encoding: "utf8" | "latin1"): void {
  const start = skipSpace(data, 0);
  const end = valueEnd(data, start, viewOf(data));
  const isAll = end >= 0 && skipSpace(data, end) === data.length;
  demandEqual(isAll, known.isJson, "whether it is JSON for the scanner");
  if (end >= 0) demandEqual(true, parsed(data.toString(encoding, start, end)).isJson, "a value");
  const text = (from: number, to: number) => parsed(data.toString(encoding, from, to)).value;
  const object = scanObject(data);
  demandEqual(object?.end, end >= 0 && data[start] === 0x7b ? end : undefined, "an object's end");
  if (isAll && object !== undefined && encoding === "utf8") {
    const right = known.value as { [key: string]: Json };
    const last = new Map(object.members.map((each) => [each.key, each]));
    demandEqual(
      [...last.keys()].sort().join(),
      Object.keys(right).sort().join(),
      "an object's keys",
    );
    for (const [key, { valueStart, valueEnd: valueStop }] of last) {
      const member = Object.getOwnPropertyDescriptor(right, key)?.value;
      demandEqual(JSON.stringify(text(valueStart, valueStop)), JSON.stringify(member), "a member");
    }
  }
  const array = scanArray(data, 0);
  demandEqual(array !== undefined, end >= 0 && data[start] === 0x5b, "whether it is an array");
  if (isAll && array !== undefined) {
    const right = known.value as Json[];
    demandEqual(array.length, right.length, "an array's length");
    for (const [index, each] of array.entries()) {
      const element = text(each.start, each.end);
      demandEqual(JSON.stringify(element), JSON.stringify(right[index]), "an element");
    }
  }
  if (isAll) for (const finder of FINDERS) findsAsKnown(data, finder, object?.members ?? []);
}

function findsAsKnown(
  data: Buffer,
  { name, find }: (typeof FINDERS)[number],
  members: readonly {
    readonly key: string;
    readonly valueStart: number;
    readonly valueEnd: number;
  }[],
): void {
  const found = find(data);
  const right = members.filter(({ key }) => key === name);
  const isRight = right.some(
    (each) => each.valueStart === found?.valueStart && each.valueEnd === found.valueEnd,
  );
  demandEqual(found === undefined ? right.length === 0 : isRight, true, `the member ${name}`);
}

type Parsed = { readonly isJson: boolean; readonly value?: Json };

function parsed(text: string): Parsed {
  try {
    const value = JSON.parse(text) as Json;
    return { isJson: true, value: text.includes("\\") ? assembled(text) : value };
  } catch {
    return { isJson: false };
  }
}

/**
 * What a text says that is known to be JSON. In V8 13.6 JSON.parse takes a key with an escape for another
 * one: that of an object before which begins with the same bytes, where it is as long as the decoded key.
 */
function assembled(text: string): Json {
  const all = tokens(text);
  let at = 0;
  const value = (): Json => {
    const token = all[at++] ?? "";
    if (token === "[") {
      const array: Json[] = [];
      for (; all[at] !== "]"; at += all[at] === "," ? 1 : 0) array.push(value());
      at += 1;
      return array;
    }
    if (token !== "{") return JSON.parse(token) as Json;
    const object = {};
    for (; all[at] !== "}"; at += all[at] === "," ? 1 : 0) {
      const key = JSON.parse(all[at] ?? "") as string;
      at += 2;
      const own = { configurable: true, enumerable: true, writable: true };
      Object.defineProperty(object, key, { ...own, value: value() });
    }
    at += 1;
    return object;
  };
  return value();
}

/** No value is nested deeper than that. */
function bracketsIn(data: Buffer): number {
  let brackets = 0;
  for (const byte of data) if (byte === 0x5b || byte === 0x7b) brackets += 1;
  return brackets;
}
