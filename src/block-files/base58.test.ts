import { base58 } from "@scure/base";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeBase58, encodeBase58, encodeKey } from "./base58.ts";

describe("base58", () => {
  test("any bytes are written as the package writes them, leading zeros too", () => {
    const zeros = fc.nat({ max: 5 }).map((length) => new Uint8Array(length));
    const rest = fc.uint8Array({ maxLength: 200 });
    fc.assert(
      fc.property(zeros, rest, (first, last) => {
        const bytes = Uint8Array.from([...first, ...last]);
        expect(encodeBase58(bytes)).toBe(base58.encode(bytes));
        expect(decodeBase58(encodeBase58(bytes))).toEqual(bytes);
      }),
      { numRuns: 2000 },
    );
  });

  test("the largest bytes do not overflow", () => {
    for (const length of [1, 2, 3, 4, 64, 1232]) {
      const bytes = new Uint8Array(length).fill(255);
      expect(encodeBase58(bytes)).toBe(base58.encode(bytes));
    }
  });

  test("a key that was seen before, or shares its buffer with others, has its own text", () => {
    const buffer = Uint8Array.from({ length: 96 }, (_, index) => index);
    for (const start of [0, 32, 64, 0, 64]) {
      const key = buffer.subarray(start, start + 32);
      expect(encodeKey(key)).toBe(base58.encode(key));
    }
  });
});
