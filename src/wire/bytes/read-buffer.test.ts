import fc from "fast-check";
import { expect, test } from "vitest";
import { isReadPart, partOf, READ_BUFFER, readPart } from "./read-buffer.ts";

test("a part of what was read is those bytes, whatever parts were asked for before", () => {
  const span = fc.tuple(fc.nat(600), fc.nat(600));
  fc.assert(
    fc.property(fc.array(span, { maxLength: 100 }), (spans) => {
      for (const [start, length] of spans) {
        const part = readPart(start, start + length);
        expect([part.byteOffset, part.length]).toEqual([start, length]);
        expect(part.buffer).toBe(READ_BUFFER.buffer);
        expect(isReadPart(part)).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
});

test("a part of any bytes is what a view of them would be", () => {
  fc.assert(
    fc.property(
      fc.tuple(fc.nat(300), fc.nat(300), fc.nat(300)),
      fc.boolean(),
      ([size, start, length], read) => {
        const bytes = read ? readPart(7, 7 + size) : Buffer.from(READ_BUFFER.subarray(7, 7 + size));
        const part = partOf(bytes, start, start + length);
        const view = bytes.subarray(start, start + length);
        expect(part.length).toBe(view.length);
        if (view.length > 0) expect(part.byteOffset).toBe(view.byteOffset);
        expect(part.buffer).toBe(bytes.buffer);
      },
    ),
  );
});

test("other bytes at the same place of another memory are no part of what was read", () => {
  readPart(0, 100);
  expect(isReadPart(Buffer.alloc(100))).toBe(false);
  expect(isReadPart(READ_BUFFER.subarray(0, 100))).toBe(false);
});
