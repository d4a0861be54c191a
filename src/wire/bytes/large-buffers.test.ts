import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LargeBuffers } from "./large-buffers.ts";

describe("memory for large bodies", () => {
  test("is never lent to two at once, and holds what is put there until it is given back", () => {
    const actions = fc.array(
      fc.record({ take: fc.boolean(), bytes: fc.integer({ min: 1, max: 600_000 }), at: fc.nat() }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(actions, (all) => {
        const buffers = new LargeBuffers();
        const lent: { readonly buffer: Buffer; readonly mark: number }[] = [];
        for (const [index, { take, bytes, at }] of all.entries()) {
          const [oldest] = lent.splice(at % Math.max(lent.length, 1), take ? 0 : 1);
          if (oldest !== undefined) {
            const { buffer, mark } = oldest;
            expect([buffer[0], buffer.at(-1)]).toEqual([mark, mark]);
            buffers.giveBack(buffer.subarray(Math.floor(buffer.length / 2)));
            buffers.giveBack(buffer);
          } else if (take) {
            const buffer = buffers.take(bytes);
            expect(buffer).toHaveLength(bytes);
            lent.push({ buffer: buffer.fill(index % 256), mark: index % 256 });
          }
        }
        for (const { buffer, mark } of lent) expect(buffer.includes(mark)).toBe(true);
        expect(new Set(lent.map(({ buffer }) => buffer.buffer)).size).toBe(lent.length);
      }),
    );
  });

  test("is used again once it was given back", () => {
    const buffers = new LargeBuffers();
    const first = buffers.take(300_000);
    buffers.giveBack(first.subarray(7, 9));
    expect(buffers.take(290_000).buffer).toBe(first.buffer);
    expect(buffers.take(290_000).buffer).not.toBe(first.buffer);
  });

  test("is used again for a block of a slot network, of several megabytes", () => {
    const buffers = new LargeBuffers();
    const first = buffers.take(5_200_000);
    buffers.giveBack(first);
    expect(buffers.take(5_000_000).buffer).toBe(first.buffer);
  });

  test("is not kept without bound", () => {
    const buffers = new LargeBuffers();
    const given = Array.from({ length: 40 }, () => buffers.take(5_000_000));
    for (const buffer of given) buffers.giveBack(buffer);
    const known = new Set(given.map(({ buffer }) => buffer));
    const again = given.map(({ length }) => buffers.take(length));
    expect(again.filter(({ buffer }) => known.has(buffer))).toHaveLength(8);
  });

  test("of others is left alone", () => {
    const buffers = new LargeBuffers();
    const other = Buffer.allocUnsafeSlow(524_288);
    buffers.giveBack(other);
    expect(buffers.take(524_288).buffer).not.toBe(other.buffer);
  });
});
