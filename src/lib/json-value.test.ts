import { isUtf8 } from "node:buffer";
import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_NESTING, valueEnd, viewOf } from "./json-value.ts";

const FIXTURES = "test/fixtures";

/** Whether the bytes are one value with nothing around it. */
function isValue(bytes: Buffer): boolean {
  return valueEnd(bytes, 0, viewOf(bytes)) === bytes.length;
}

/** The same by JSON.parse, for bytes without white space around them. */
function parses(bytes: Buffer): boolean {
  const text = bytes.toString("latin1");
  try {
    JSON.parse(text);
  } catch {
    return false;
  }
  return text.trim() === text;
}

/** Each byte of the text that ends a token or begins another, and what breaks one. */
const TOKENS = [
  ...Array.from('{}[]:,"\\ \t\n\r\0\x1f\x7f\x80\xffabfnrtu/0123456789+-.eE!#', (text) => text),
  ...['""', '"a":', "null", "true", "false", "-0", "1.5e-3", "01", "\\u12aF", "\\ud800", "\\x"],
  ...['},{"id":2', "é", "😀", "\u2028", "tru", "nulll", "0x1", "Infinity", "NaN", "'", "//"],
];
const token = fc.constantFrom(...TOKENS);

const value = fc.letrec<{ value: string; scalar: string }>((tie) => ({
  scalar: fc.oneof(
    fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)),
    fc.string({ unit: "grapheme" }).map((text) => JSON.stringify(text)),
    fc.stringMatching(/^"0x[\da-f]{0,70}"$/),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.constantFrom("0", "-0", "1E+2", "0.10", "123456789012345678901", "null", "true", "false"),
  ),
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    tie("scalar"),
    fc.array(tie("value"), { maxLength: 5 }).map((list) => `[${list.join(", ")}]`),
    fc
      .array(fc.tuple(fc.string({ maxLength: 9 }), tie("value")), { maxLength: 5 })
      .map((list) => `{${list.map(([k, v]) => `${JSON.stringify(k)} :${v}`).join("\n,")}}`),
  ),
})).value;

/** Where, how many bytes are taken out, and what is put in their place. */
const change = fc.tuple(fc.nat(), fc.nat(3), fc.oneof(token, fc.constant("")));

function changed(bytes: Buffer, [place, count, text]: readonly [number, number, string]): Buffer {
  const at = place % (bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(text), bytes.subarray(at + count)]);
}

function expectSame(bytes: Buffer): void {
  if (isValue(bytes) !== parses(bytes)) throw new Error(JSON.stringify(bytes.toString("latin1")));
}

describe("a value is what JSON.parse takes, and nothing else", () => {
  test("whatever it is", () => {
    fc.assert(
      fc.property(value, (text) => {
        if (!isValue(Buffer.from(text))) throw new Error(text);
      }),
      { numRuns: 3_000 },
    );
  });

  test("with one or two changes anywhere in it", () => {
    fc.assert(
      fc.property(value, fc.array(change, { minLength: 1, maxLength: 2 }), (text, changes) => {
        expectSame(changes.reduce(changed, Buffer.from(text)));
      }),
      { numRuns: 20_000 },
    );
  });

  test("of tokens in any order", () => {
    fc.assert(
      fc.property(fc.array(token, { maxLength: 12 }), (tokens) =>
        expectSame(Buffer.from(tokens.join(""))),
      ),
      { numRuns: 20_000 },
    );
  });

  test("of every byte at every place of a word, within a string and outside", () => {
    for (let byte = 0; byte < 256; byte += 1) {
      for (let place = 0; place < 12; place += 1) {
        for (const tail of ["", "n", "u00e9", "xxxxxxxxx"]) {
          const string = Buffer.from(`"${"x".repeat(place)}?${tail}"`);
          string[place + 1] = byte;
          expectSame(string);
          expectSame(Buffer.concat([Buffer.from("[1,"), string.subarray(1)]));
        }
      }
    }
  });

  const files = ["evm", "slot"].flatMap((folder) =>
    readdirSync(`${FIXTURES}/${folder}`)
      .filter((file) => file.endsWith(".json"))
      .map((file) => `${FIXTURES}/${folder}/${file}`),
  );
  const bodies = files
    .map((file) => Buffer.from(readFileSync(file, "utf8").trim()))
    .filter(({ length }) => length < 60_000);

  test("of what nodes of real chains have said, changed anywhere", () => {
    for (const body of bodies) expect(isValue(body)).toBe(true);
    fc.assert(
      fc.property(fc.constantFrom(...bodies), change, (body, one) =>
        expectSame(changed(body, one)),
      ),
      { numRuns: 3_000 },
    );
  });
});

test("a value ends where it ends, whatever stands before and behind it", () => {
  fc.assert(
    fc.property(
      value,
      fc.nat(9),
      fc.constantFrom("}", ",", "]", " ", "\n", ""),
      (text, n, behind) => {
        const bytes = Buffer.from(`${"x".repeat(n)}${text}${behind}`);
        const end = n + Buffer.byteLength(text);
        if (valueEnd(bytes, n, viewOf(bytes)) !== end) throw new Error(bytes.toString());
        const within = Buffer.concat([Buffer.from("abc"), bytes, Buffer.from('"]}')]);
        const part = within.subarray(3, 3 + bytes.length);
        if (valueEnd(part, n, viewOf(part)) !== end) throw new Error(bytes.toString());
      },
    ),
    { numRuns: 3_000 },
  );
});

test("a value that is cut off has no end", () => {
  fc.assert(
    fc.property(value, fc.nat(), (text, cut) => {
      const bytes = Buffer.from(text);
      const part = bytes.subarray(0, cut % bytes.length);
      // The beginning of a number may be a number.
      if (valueEnd(part, 0, viewOf(part)) >= 0) expect(text).toMatch(/^-?\d/);
    }),
  );
});

test.each([
  ["arrays", "[", "]"],
  ["objects", '{"a":', "}"],
])("%s nest up to the bound, at no cost of stack, and not beyond", (_name, open, close) => {
  const nested = (depth: number) => Buffer.from(`${open.repeat(depth)}[]${close.repeat(depth)}`);
  expect(isValue(nested(MAX_NESTING))).toBe(true);
  for (const depth of [MAX_NESTING + 1, 1_000_000]) expect(isValue(nested(depth))).toBe(false);
});

test("bytes that are no UTF-8 are known by node:buffer, whichever they are", () => {
  const broken = [
    "80",
    "c080",
    "c1bf",
    "e08080",
    "eda080",
    "edbfbf",
    "f08080af",
    "f4908080",
    "e282",
  ];
  for (const hex of broken) expect(isUtf8(Buffer.from(`22${hex}22`, "hex")), hex).toBe(false);
});
