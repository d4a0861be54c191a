import fc from "fast-check";
import { expect, test } from "vitest";
import { RepeatedTexts } from "./repeated-texts.ts";

test("what is taken is what stands there, whatever was taken before", () => {
  const texts = new RepeatedTexts();
  // Few bytes, so that many texts share a slot.
  const bytes = fc
    .array(fc.constantFrom(0x61, 0x62, 0x68, 0xe9), { maxLength: 60, size: "max" })
    .map((all) => Buffer.from(all));
  fc.assert(
    fc.property(fc.array(fc.tuple(bytes, fc.nat(60), fc.nat(60)), { maxLength: 30 }), (parts) => {
      for (const [whole, one, other] of parts) {
        const [start, end] = [Math.min(one, other, whole.length), Math.min(other, whole.length)];
        const stands = whole.toString("latin1", start, end);
        expect(texts.take(whole, start, end) ?? stands).toBe(stands);
        if (stands.length <= 32) expect(texts.take(whole, start, end)).toBe(stands);
        // What it knows is its own: the bytes are overwritten once they were read.
        whole.fill(0x7a, start, end);
      }
    }),
  );
});
