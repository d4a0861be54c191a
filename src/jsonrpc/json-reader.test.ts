import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JsonReader, JsonSyntaxError } from "./json-reader.ts";
import { encode, type JsonObject, type JsonValue, NumberToken } from "./value.ts";

/** What the reader makes of the text; undefined where it is no JSON. */
function read(text: string): { value: JsonValue; tooDeep: boolean } | undefined {
  const reader = new JsonReader(Buffer.from(text, "utf8"));
  try {
    const value = reader.value(1);
    return Number.isNaN(reader.peek()) ? { value, tooDeep: reader.tooDeep } : undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** As JSON.parse gives it. */
function plain(value: JsonValue): unknown {
  if (value instanceof NumberToken) return Number(value.text);
  if (Array.isArray(value)) return value.map(plain);
  if (!(value instanceof Map)) return value;
  const object: object = {};
  for (const [key, member] of value) {
    const settings = { value: plain(member), enumerable: true, configurable: true, writable: true };
    Object.defineProperty(object, key, settings);
  }
  return object;
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Without what it knows of its own text. */
function rebuilt(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(rebuilt);
  if (!(value instanceof Map)) return value;
  return new Map([...value].map(([key, member]) => [key, rebuilt(member)]));
}

/** Accepts what JSON.parse accepts and gives the same, unless nested too deep. */
function agrees(text: string): void {
  const [own, native] = [read(text), parsed(text)];
  // expect() itself would take most of the time.
  const same =
    own === undefined || native === undefined
      ? own === native
      : own.tooDeep || isDeepStrictEqual(plain(own.value), native.value);
  if (!same) throw new Error(`${JSON.stringify(text)} is read otherwise`);
}

const tokens = fc.constantFrom(
  ..."{}[],:\"\\ \n\t\r019-+.eE/bfnrtu'",
  "true",
  "false",
  "null",
  '"a"',
  '"',
  '""',
  '"\\u00e9"',
  '"\\ud83d\\ude00"',
  '"\\ud800"',
  '"é😀"',
  '"__proto__"',
  "1.5e-3",
  "9007199254740993",
  "\u00a0",
  "\ufeff",
  "\u2028",
  "\0",
  "\x7f",
);

/** With a token put in at some place, or in place of a byte there, or two bytes taken out. */
const changedJson = fc
  .tuple(fc.json(), fc.nat(), tokens, fc.nat({ max: 2 }))
  .map(([text, at, token, cut]) => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + (cut === 2 ? "" : token) + text.slice(place + cut);
  });

describe("the reader agrees with JSON.parse", () => {
  test("on any JSON, however it is laid out", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), fc.nat({ max: 3 }), (value, indent) =>
        agrees(JSON.stringify(value, null, indent)),
      ),
      { numRuns: 2_000 },
    );
  });

  test("on any text", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), agrees), { numRuns: 5_000 });
  });

  test("on any row of tokens", () => {
    const rows = fc.array(tokens, { maxLength: 12 }).map((all) => all.join(""));
    fc.assert(fc.property(rows, agrees), { numRuns: 30_000 });
  });

  test("on JSON with a byte changed, put in or taken out", () => {
    fc.assert(fc.property(changedJson, agrees), { numRuns: 20_000 });
  });

  test("on any string between quotes", () => {
    const pieces = fc.constantFrom(
      '\\"',
      "\\\\",
      "\\",
      '"',
      "\\u",
      "0",
      "a",
      "é",
      "\n",
      "\\n",
      "\\/",
    );
    const strings = fc.array(pieces, { maxLength: 10 }).map((all) => `"${all.join("")}"`);
    fc.assert(fc.property(strings, agrees), { numRuns: 20_000 });
  });

  test("on any number", () => {
    const characters = fc.constantFrom(..."0123456789-+.eE");
    const numbers = fc.array(characters, { minLength: 1, maxLength: 7 }).map((all) => all.join(""));
    fc.assert(fc.property(numbers, agrees), { numRuns: 20_000 });
  });

  test("on nesting up to 64 levels, and on whether deeper nesting is JSON", () => {
    const deep = fc
      .tuple(
        fc.integer({ min: 55, max: 75 }),
        fc.array(tokens, { maxLength: 4 }),
        fc.infiniteStream(fc.boolean()),
      )
      .map(([levels, middle, kinds]) => {
        const objects = [...kinds.take(levels)];
        const open = objects.map((object) => (object ? '{"a":' : "[")).join("");
        const close = objects.reverse().map((object) => (object ? "}" : "]"));
        return open + middle.join("") + close.join("");
      });
    fc.assert(fc.property(deep, agrees), { numRuns: 10_000 });
  });
});

describe("what JSON.parse does not keep", () => {
  test.each(["1.0", "-0", "1E400", "9007199254740993", "0.10", "1e-0"])(
    "a number is kept as it was written: %s",
    (number) => {
      expect(encode(read(` [${number} ] `)?.value ?? null)).toBe(`[${number}]`);
    },
  );

  test("__proto__ is a key like any other, and the last of duplicates counts", () => {
    const value = read('{"__proto__":1,"a":1,"__proto__":{"b":2},"a":3}')?.value as Map<
      string,
      JsonValue
    >;
    expect([...value.keys()]).toEqual(["__proto__", "a"]);
    expect(encode(value)).toBe('{"__proto__":{"b":2},"a":3}');
  });

  test.each([
    [64, false],
    [65, true],
    [60_000, true],
  ])("%i levels: too deep is %s, and costs no stack", (levels, tooDeep) => {
    const text = "[".repeat(levels) + "]".repeat(levels);
    expect(read(text)?.tooDeep).toBe(tooDeep);
    expect(read(text.slice(1))).toBeUndefined();
  });
});

describe("the text that an object knows of itself", () => {
  test("is what it would be written as, whatever was read", () => {
    const rows = fc.array(tokens, { maxLength: 9 }).map((all) => `{"a":{${all.join("")}}}`);
    const isKept = (text: string) => {
      const found = read(text);
      if (found === undefined || found.tooDeep) return;
      const [own, made] = [encode(found.value), encode(rebuilt(found.value))];
      if (own !== made) throw new Error(`${text} is written as ${own}, not as ${made}`);
    };
    fc.assert(fc.property(fc.oneof(changedJson, rows), isKept), { numRuns: 30_000 });
  });

  test.each([
    ['{"to":"0xab","n":[1.0,null]}', true],
    ["{}", true],
    ['{"to": "0xab"}', false],
    ['{"a":1,"a":2}', false],
    ['{"b":{"a":1,"a":2}}', false],
    ['{"a":"\\u0041"}', false],
    ['{"a":"é"}', false],
  ])("%s: known is %s", (text, isKnown) => {
    const object = read(text)?.value as JsonObject | undefined;
    expect(object?.source).toBe(isKnown ? text : undefined);
  });
});

describe("the text of a value that is asked for", () => {
  const sourced = (text: string): JsonReader | undefined => {
    const reader = new JsonReader(Buffer.from(text));
    try {
      const value = reader.sourced(1);
      expect(reader.sourceText ?? encode(value)).toBe(encode(rebuilt(value)));
      return reader;
    } catch (error) {
      if (error instanceof JsonSyntaxError) return undefined;
      throw error;
    }
  };

  test("is what it would be written as, whatever was read", () => {
    const rows = fc.array(tokens, { maxLength: 9 }).map((all) => `[{${all.join("")}},"0x1",null]`);
    fc.assert(
      fc.property(fc.oneof(changedJson, rows), (text) => void sourced(text)),
      { numRuns: 20_000 },
    );
  });

  test.each([
    ['["0x1b4",false]', true],
    ['[{"to":"0xab","n":[1.0,null]},"latest"]', true],
    ["[]", true],
    ['["0x1b4", false]', false],
    ['[{"a":1,"a":2}]', false],
    ['["\\u0041"]', false],
    ['["é"]', false],
  ])("%s: known is %s", (text, isKnown) => {
    expect(sourced(text)?.sourceText).toBe(isKnown ? text : undefined);
  });
});

test("many escaped quotes and backslashes cost linear time", () => {
  const timeOf = (text: string): number => {
    const begun = performance.now();
    expect(read(text)).toBeDefined();
    return performance.now() - begun;
  };
  const sizes = [1, 8].map(
    (times) => `["${'\\"'.repeat(100_000 * times)}","${"\\\\".repeat(100_000 * times)}"]`,
  );
  const [small = 0, large = 0] = sizes.map((text) =>
    Math.min(timeOf(text), timeOf(text), timeOf(text)),
  );
  // Eight times the size: 64 times the time if it were quadratic.
  expect(large).toBeLessThan(Math.max(small, 2) * 32);
});
