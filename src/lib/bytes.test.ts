import fc from "fast-check";
import { expect, test } from "vitest";
import { type Piece, sizeOf, toBinary, wholeBytes, wholeText } from "./bytes.ts";

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

test("pieces are one text or one Buffer of the same bytes, whatever they are; an only one itself", () => {
  const byte = fc.integer({ min: 0, max: 255 });
  const bytes = fc.array(byte, { maxLength: 20 }).map((each) => Buffer.from(each));
  const piece = fc.oneof(
    bytes,
    bytes.map((each) => each.toString("latin1")),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces: readonly Piece[]) => {
      const text = wholeText(pieces);
      expect(wholeBytes(pieces).toString("latin1")).toBe(text);
      expect(text).toHaveLength(sizeOf(pieces));
    }),
  );
  const only = Buffer.from("é");
  expect(wholeBytes([only])).toBe(only);
});
