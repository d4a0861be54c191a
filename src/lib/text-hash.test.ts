import fc from "fast-check";
import { expect, test } from "vitest";
import { joinedHash, textHash } from "./text-hash.ts";

test("the hash of two texts is that of both in one", () => {
  const text = fc.string({ unit: "binary", maxLength: 150, size: "max" });
  fc.assert(
    fc.property(text, text, (beginning, rest) => {
      expect(joinedHash(beginning, rest)).toBe(textHash(beginning + rest));
    }),
  );
});

test("a hash is a whole number from 1 to 2^31 - 1", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const hash = textHash(text);
      expect(Number.isInteger(hash) && hash >= 1 && hash < 2 ** 31).toBe(true);
    }),
  );
});
