import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  checkRecord,
  type KeyHash,
  KeyPrefix,
  RECORD_OVERHEAD,
  recordValue,
  roomFor,
  writeRecord,
} from "./disk-record.ts";

const text = fc.string({ unit: "binary", maxLength: 200 });
const loneSurrogates = fc.array(fc.integer({ min: 0xd7f0, max: 0xe00f }), { maxLength: 20 });
const key = fc.oneof(
  text,
  loneSurrogates.map((codes) => String.fromCharCode(...codes)),
);
// On both sides of where another digest is used.
const size = fc.oneof(fc.nat(300), fc.integer({ min: 5_900, max: 6_300 }));
const value = fc.tuple(size, fc.nat(255), fc.boolean()).map(([length, fill, bytes]) => {
  const buffer = Buffer.alloc(length, fill);
  return bytes ? buffer : buffer.toString("latin1");
});
const block = fc.integer({ min: -1, max: 2 ** 40 });

function write(of: { prefix: string; key: string; value: string | Buffer; block: number }) {
  const hash: KeyHash = { high: 0, low: 0 };
  new KeyPrefix(of.prefix).hash(of.key, hash);
  const length = of.value.length + RECORD_OVERHEAD;
  const buffer = Buffer.alloc(roomFor(length, of.prefix.length + of.key.length));
  expect(writeRecord(buffer, { ...of, hash })).toBe(length);
  return { buffer, length, hash };
}

describe("a record", () => {
  test("is given back to the byte, with its block", () => {
    fc.assert(
      fc.property(
        fc.record({ prefix: text, key, value, block }),
        ({ prefix, key, value, block }) => {
          const { buffer, length, hash } = write({ prefix, key, value, block });
          expect(checkRecord(buffer, length, { prefix, key, hash })).toBe(block);
          const bytes = Buffer.from(value as string, "latin1");
          expect(recordValue(buffer, length, true)).toEqual(bytes);
          expect(recordValue(buffer, length, false)).toBe(bytes.toString("latin1"));
        },
      ),
    );
  });

  test("with any one bit flipped is refused", () => {
    fc.assert(
      fc.property(key, value, fc.nat(), (key, value, bit) => {
        const { buffer, length, hash } = write({ prefix: "a", key, value, block: 7 });
        const at = bit % (length * 8);
        buffer[at >> 3] = (buffer[at >> 3] as number) ^ (1 << (at & 7));
        expect(checkRecord(buffer, length, { prefix: "a", key, hash })).toBeTypeOf("string");
      }),
      { numRuns: 2_000 },
    );
  });

  test("is refused for any other key, one of the same hash included", () => {
    fc.assert(
      fc.property(key, key, value, (key, other, value) => {
        fc.pre(key !== other);
        const { buffer, length, hash } = write({ prefix: "a", key, value, block: 7 });
        const room = Buffer.alloc(buffer.length + 500);
        buffer.copy(room);
        expect(checkRecord(room, length, { prefix: "a", key: other, hash })).toBeTypeOf("string");
      }),
    );
  });

  test("is refused for a key that differs in a lone surrogate, which UTF-8 can't hold", () => {
    const { buffer, length, hash } = write({ prefix: "a", key: "\ud800", value: "1", block: 7 });
    expect(checkRecord(buffer, length, { prefix: "a", key: "\ud801", hash })).toBe("damaged");
  });

  test("is refused for another network, where the two texts together are the same", () => {
    const { buffer, length, hash } = write({ prefix: "ab", key: "c", value: "1", block: 7 });
    expect(checkRecord(buffer, length, { prefix: "a", key: "bc", hash })).toBe("another");
  });
});
