import { Buffer } from "node:buffer";
import fc from "fast-check";
import { expect, test } from "vitest";
import { JsonReader } from "./json-reader.ts";
import { encode } from "./value.ts";

test("any value is written in ASCII, and means the same", () => {
  const values = fc.jsonValue({ stringUnit: "binary", maxDepth: 4 });
  const isKept = (value: unknown) => {
    const text = JSON.stringify(value);
    const written = encode(new JsonReader(Buffer.from(text)).value(1));
    expect(Buffer.byteLength(written)).toBe(written.length);
    expect(JSON.parse(written)).toEqual(JSON.parse(text));
  };
  fc.assert(fc.property(values, isKept), { numRuns: 3_000 });
  for (const value of ["é", "😀", "\ud800", { "\u2028": ["\u007f\u0080"] }]) isKept(value);
});
