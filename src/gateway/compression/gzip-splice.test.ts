import { spawnSync } from "node:child_process";
import { constants, crc32, deflateRawSync, gunzipSync, inflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asBytes, type Piece } from "../../lib/bytes.ts";
import { MOST_STORED_BYTES, multiply, shiftOver, splice, toDeflated } from "./gzip-splice.ts";

const flushed = { level: 1, finishFlush: constants.Z_SYNC_FLUSH };

function deflated(plain: Buffer) {
  return toDeflated(deflateRawSync(plain, flushed), plain);
}

function joined(pieces: readonly Piece[]): Buffer {
  return Buffer.concat(pieces.map(asBytes));
}

const bytes = fc.uint8Array({ maxLength: 3000 }).map((array) => Buffer.from(array));
/** Repetitive, as answers are. */
const text = fc
  .tuple(fc.string({ maxLength: 40 }), fc.integer({ min: 0, max: 500 }))
  .map(([part, times]) => Buffer.from(part.repeat(times)));
const plain = fc.oneof(bytes, text);

describe("what is spliced", () => {
  test("is the head, the result and the tail to whoever unpacks it, and nothing else", () => {
    fc.assert(
      fc.property(bytes, plain, bytes, (head, result, tail) => {
        const whole = joined(
          splice(head.toString("latin1"), deflated(result), tail.toString("latin1")),
        );
        const expected = Buffer.concat([head, result, tail]);
        expect(gunzipSync(whole).equals(expected)).toBe(true);
        // One member: the deflate stream ends where the checksum begins.
        const blocks = whole.subarray(10, -8);
        const { engine } = inflateRawSync(blocks, { info: true }) as unknown as Unpacked;
        expect(engine.bytesWritten).toBe(blocks.length);
        expect(whole.readUInt32LE(whole.length - 8)).toBe(crc32(expected));
        expect(whole.readUInt32LE(whole.length - 4)).toBe(expected.length);
      }),
    );
  });

  test("can be used around any number of heads, up to what a stored block holds", () => {
    const result = Buffer.from(`{"a":"${"0f".repeat(100_000)}"}`);
    const kept = deflated(result);
    for (const length of [0, 1, 255, 256, 32_768, MOST_STORED_BYTES]) {
      const head = "\xff".repeat(length);
      const unpacked = gunzipSync(joined(splice(head, kept, "}")));
      expect(unpacked.toString("latin1")).toBe(`${head}${result.toString("latin1")}}`);
    }
  });

  const { error } = spawnSync("gzip", ["--version"]);

  test.skipIf(error !== undefined)("is a file that gzip itself finds intact", () => {
    const whole = joined(splice('{"id":1,"result":', deflated(Buffer.alloc(70_000, "ab")), "}"));
    const tested = spawnSync("gzip", ["-tv"], { input: whole });
    expect([tested.status, String(tested.stderr)]).toEqual([0, expect.stringContaining("OK")]);
    const broken = Buffer.from(whole);
    broken[broken.length - 5] = (broken.at(-5) ?? 0) ^ 1;
    expect(spawnSync("gzip", ["-t"], { input: broken }).status).toBe(1);
  });
});

type Unpacked = { readonly engine: { readonly bytesWritten: number } };

describe("checksums are joined without the bytes", () => {
  test("of any two parts", () => {
    fc.assert(
      fc.property(bytes, plain, (first, second) => {
        const combined = multiply(shiftOver(second.length), crc32(first)) ^ crc32(second);
        expect(combined >>> 0).toBe(crc32(Buffer.concat([first, second])));
      }),
    );
  });

  test("of parts of any length, as by adding lengths up", () => {
    const length = fc.integer({ min: 0, max: 2 ** 40 });
    fc.assert(
      fc.property(length, length, (first, second) => {
        expect(multiply(shiftOver(first), shiftOver(second))).toBe(shiftOver(first + second));
      }),
    );
    expect(shiftOver(0)).toBe(0x80000000);
  });
});
