import fc from "fast-check";
import { expect, test } from "vitest";
import { textHash } from "./text-hash.ts";

const latin = fc.string({ unit: "binary-ascii", maxLength: 300, size: "max" });

test("a hash is a whole number from 1 to 2^31 - 1", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const hash = textHash(text);
      expect(Number.isInteger(hash) && hash >= 1 && hash < 2 ** 31).toBe(true);
    }),
  );
});

test("a text has the same hash however it was made, and whatever was hashed before it", () => {
  fc.assert(
    fc.property(latin, latin, latin, (one, two, before) => {
      const hash = textHash(one + two);
      textHash(before);
      expect(textHash(Buffer.from(one + two).toString("latin1"))).toBe(hash);
    }),
  );
});

test("a character more, less or other at any place is another hash", () => {
  fc.assert(
    fc.property(latin, fc.nat(), fc.constantFrom("", "a", "bb", "\u0000"), (text, place, other) => {
      const at = place % (text.length + 1);
      const changed = text.slice(0, at) + other + text.slice(at + 1);
      fc.pre(changed !== text);
      expect(textHash(changed)).not.toBe(textHash(text));
    }),
    { numRuns: 2000 },
  );
});

test("each character of a text counts that is longer than what is kept for hashing", () => {
  const text = "0123456789abcdef".repeat(2048);
  const hashes = [text, `${text}0`, `1${text.slice(1)}`, `${text.slice(0, -1)}0`].map(textHash);
  expect(new Set(hashes).size).toBe(4);
  expect(textHash(`${text}`)).toBe(hashes[0]);
});

test("params that differ in a number share a place no more often than chance has them", () => {
  const places = new Map<number, number>();
  for (let number = 0; number < 4096; number += 1) {
    const place = textHash(`["0x${number.toString(16)}",false]`) & 1023;
    places.set(place, (places.get(place) ?? 0) + 1);
  }
  // 4 at each place, if they were dealt out.
  expect(Math.max(...places.values())).toBeLessThan(16);
  expect(places.size).toBeGreaterThan(960);
});
