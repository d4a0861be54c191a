import fc from "fast-check";
import { expect, test } from "vitest";
import { DiskIndex, type Place } from "./disk-index.ts";
import type { KeyHash } from "./disk-record.ts";

const hashOf = (key: number): KeyHash => ({
  // Few shards and home slots, so that searches run into each other.
  high: Math.imul(key % 97, 2654435761) >>> 0,
  low: ((key << 16) | 7) >>> 0,
});

const found = (index: DiskIndex, key: number): Place | undefined => {
  const place = { segment: 0, offset: 0, length: 0 };
  return index.find(hashOf(key), place) ? place : undefined;
};

const step = fc.oneof(
  fc.record({
    does: fc.constant("insert"),
    key: fc.nat(400),
    segment: fc.integer({ min: 1, max: 5 }),
  }),
  fc.record({
    does: fc.constant("older"),
    key: fc.nat(400),
    segment: fc.integer({ min: 1, max: 5 }),
  }),
  fc.record({ does: fc.constant("erase"), key: fc.nat(400), segment: fc.constant(0) }),
  fc.record({
    does: fc.constant("die"),
    key: fc.constant(0),
    segment: fc.integer({ min: 1, max: 4 }),
  }),
);

test("a key is found where it was put last, until it is erased or its segment is gone", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 100, maxLength: 1500 }), (steps) => {
      const living = new Set([1, 2, 3, 4, 5]);
      const index = new DiskIndex({ maxBytes: 2 ** 24 }, (segment) => living.has(segment));
      const model = new Map<number, Place>();
      let offset = 0;
      for (const { does, key, segment } of steps) {
        const place = { segment, offset: ++offset, length: 1 };
        if (does === "erase") {
          index.erase(hashOf(key));
          model.delete(key);
        } else if (does === "die") {
          living.delete(segment);
          for (const [of, at] of model) if (at.segment === segment) model.delete(of);
        } else if (living.has(segment) && !(does === "older" && model.has(key))) {
          index.insert(hashOf(key), place, does === "older");
          model.set(key, place);
        }
      }
      for (let key = 0; key <= 400; key++) expect(found(index, key)).toEqual(model.get(key));
    }),
    { numRuns: 60 },
  );
});

test("at its bound the oldest go first", () => {
  const index = new DiskIndex({ maxBytes: 2 ** 18 }, () => true);
  for (let key = 0; key < 30_000; key++) {
    const hash = { high: Math.imul(key + 1, 2654435761) >>> 0, low: 0 };
    // Past the end of 16 bits, as after 65,536 segments.
    index.insert(hash, { segment: (65_000 + (key >> 5)) & 0xffff, offset: key, length: 9 });
  }
  for (let key = 24_000; key < 30_000; key++) {
    const hash = { high: Math.imul(key + 1, 2654435761) >>> 0, low: 0 };
    expect(index.find(hash, { segment: 0, offset: 0, length: 0 })).toBe(true);
  }
});

test("at its bound it takes no more memory, ends every search, and gives no key the place of another", () => {
  const maxBytes = 2 ** 18;
  const index = new DiskIndex({ maxBytes }, () => true);
  const entries = 60_000;
  let kept = 0;
  for (let key = 0; key < entries; key++) {
    const hash = {
      high: Math.imul(key + 1, 2654435761) >>> 0,
      low: Math.imul(key, 1597334677) >>> 0,
    };
    index.insert(hash, { segment: 1, offset: key, length: 9 });
  }
  for (let key = 0; key < entries; key++) {
    const hash = {
      high: Math.imul(key + 1, 2654435761) >>> 0,
      low: Math.imul(key, 1597334677) >>> 0,
    };
    const place = { segment: 0, offset: 0, length: 0 };
    if (!index.find(hash, place)) continue;
    expect(place.offset).toBe(key);
    kept++;
  }
  expect(index.bytes).toBeLessThanOrEqual(maxBytes);
  expect(kept).toBeGreaterThan((maxBytes / 16) * 0.6);
});
