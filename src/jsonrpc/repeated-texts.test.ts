import fc from "fast-check";
import { expect, test } from "vitest";
import { RepeatedTexts } from "./repeated-texts.ts";

test("what is taken is what stands there, whatever was taken before", () => {
  // Few characters, so that many texts share a slot.
  const text = fc.string({ unit: fc.constantFrom("a", "b", "h", "\u00e9"), maxLength: 60 });
  fc.assert(
    fc.property(fc.array(fc.tuple(text, fc.nat(60), fc.nat(60)), { maxLength: 30 }), (parts) => {
      const texts = new RepeatedTexts();
      for (const [whole, one, other] of parts) {
        const [start, end] = [Math.min(one, other, whole.length), Math.min(other, whole.length)];
        expect(texts.take(whole, start, end)).toBe(whole.slice(start, end));
      }
    }),
  );
});
