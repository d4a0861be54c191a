import { Buffer } from "node:buffer";
import { expect, test } from "vitest";
import { freeableCopy, freeMemory } from "./free-memory.ts";

test.each([4096, 20_000, 65_536])(
  "a copy of %i bytes has memory of its own, which is freed at once",
  (size) => {
    const bytes = Buffer.alloc(size, "x");
    const copy = freeableCopy(bytes);
    expect(copy.equals(bytes)).toBe(true);
    expect(copy.buffer.byteLength).toBe(size);
    freeMemory([copy]);
    expect(copy.length).toBe(0);
  },
);

test("what shares its memory with others is left alone", () => {
  const [small, part] = [freeableCopy(Buffer.from("abc")), Buffer.allocUnsafe(20_000)];
  freeMemory([small, part]);
  expect([small.toString(), part.length]).toEqual(["abc", 20_000]);
});
