import fc from "fast-check";
import { expect, test } from "vitest";
import { sizeOf, toBinary } from "./bytes.ts";

test("a binary string holds the text's UTF-8, one character per byte", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(Buffer.from(toBinary(text), "latin1")).toEqual(Buffer.from(text, "utf8"));
    }),
  );
  expect(toBinary('{"é":"😀"}')).toBe('{"\xc3\xa9":"\xf0\x9f\x98\x80"}');
});

test("the size of pieces is that of their bytes", () => {
  expect(sizeOf([])).toBe(0);
  expect(sizeOf(["{", toBinary("é"), Buffer.from("é😀"), ""])).toBe(1 + 2 + 6);
});
