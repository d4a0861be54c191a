import fc from "fast-check";
import { expect, test } from "vitest";
import { READ_BUFFER, readPart } from "../wire/bytes/read-buffer.ts";
import { isPlainJson } from "./plain-bytes.ts";

const isPlainByCharacter = (bytes: Buffer): boolean =>
  bytes.every((byte) => byte >= 0x20 && byte < 0x80 && byte !== 0x5c);

/** The same as a part of what was read, between bytes that are not plain. */
function read(bytes: Buffer, start: number): Buffer {
  READ_BUFFER.fill(0, 0, start + bytes.length + 8);
  READ_BUFFER.set(bytes, start);
  return readPart(start, start + bytes.length);
}

test("any one byte among plain ones, wherever it stands, is told as one look at each byte tells it", () => {
  for (let length = 1; length < 14; length += 1) {
    for (let at = 0; at < length; at += 1) {
      for (let byte = 0; byte < 256; byte += 1) {
        const bytes = Buffer.alloc(length, " ");
        bytes[at] = byte;
        const told = isPlainByCharacter(bytes);
        expect(isPlainJson(bytes), `${byte} at ${at} of ${length}`).toBe(told);
        expect(isPlainJson(read(bytes, 5)), `${byte} at ${at} of ${length}, read`).toBe(told);
      }
    }
  }
});

test("any bytes are told as one look at each byte tells them", () => {
  const byte = fc.oneof(
    { weight: 50, arbitrary: fc.integer({ min: 0x20, max: 0x7f }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 255 }) },
  );
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 200 }), fc.nat(7), (numbers, skipped) => {
      const bytes = Buffer.from([...new Array(skipped).fill(0), ...numbers]).subarray(skipped);
      expect(isPlainJson(bytes)).toBe(isPlainByCharacter(bytes));
      expect(isPlainJson(read(bytes, skipped))).toBe(isPlainByCharacter(bytes));
    }),
    { numRuns: 2000 },
  );
});

test("a byte far into a large body is found, too", () => {
  const bytes = Buffer.alloc(200_003, "a");
  expect(isPlainJson(bytes)).toBe(true);
  for (const at of [65_535, 65_536, 131_072, 200_002]) {
    bytes[at] = 0x0a;
    expect(isPlainJson(bytes), String(at)).toBe(false);
    bytes[at] = 0x61;
  }
});
