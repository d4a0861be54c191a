import fc from "fast-check";
import { expect, test } from "vitest";
import { TokenBucket } from "./token-bucket.ts";

test("a second's credits can be had at once, and then as they flow in, to the credit", () => {
  const bucket = new TokenBucket(500, 0);
  expect(bucket.take(300, 0)).toBe(true);
  expect(bucket.take(200, 0)).toBe(true);
  expect(bucket.take(1, 0)).toBe(false);
  expect(bucket.take(80, 159)).toBe(false);
  expect(bucket.take(80, 160)).toBe(true);
  expect(bucket.left(160)).toBe(0);
});

test("a refused call takes nothing, and Retry-After is when it is admitted, in whole seconds", () => {
  const bucket = new TokenBucket(100, 0);
  bucket.take(100, 0);
  expect(bucket.secondsUntil(5, 0)).toBe(1);
  expect(bucket.take(80, 790)).toBe(false);
  expect(bucket.take(80, 800)).toBe(true);
  bucket.take(10, 900);
  expect(bucket.secondsUntil(100, 900)).toBe(1);
  bucket.giveBack(10);
  expect(bucket.left(900)).toBe(10);
});

test("a call dearer than the bucket holds is admitted when it is full, and paid off before the next", () => {
  const bucket = new TokenBucket(500, 0);
  expect(bucket.take(80, 0)).toBe(true);
  expect(bucket.take(1000, 159)).toBe(false);
  expect(bucket.take(1000, 160)).toBe(true);
  expect(bucket.secondsUntil(5, 160)).toBe(2);
  expect(bucket.take(5, 1160)).toBe(false);
  expect(bucket.take(5, 1170)).toBe(true);
  expect(bucket.secondsUntil(1000, 1170)).toBe(1);
});

test("nothing is ever admitted where nothing flows in", () => {
  const bucket = new TokenBucket(0, 0);
  expect(bucket.take(5, 10_000)).toBe(false);
  expect(bucket.secondsUntil(5, 10_000)).toBe(Number.POSITIVE_INFINITY);
});

test("what calls that wait have taken does not flow in before they go on", () => {
  const bucket = new TokenBucket(1000, 0);
  expect(bucket.take(600, 0)).toBe(true);
  bucket.defer(600);
  expect(bucket.left(5000)).toBe(400);
  bucket.resume(600, 5000);
  expect(bucket.left(5000)).toBe(400);
  expect(bucket.left(5300)).toBe(700);
});

test("a bucket that takes another's place misses no more than it holds", () => {
  const before = new TokenBucket(40_000, 0);
  before.take(39_900, 0);
  expect(new TokenBucket(500, 0, before).left(0)).toBe(0);
  const small = new TokenBucket(500, 0);
  small.take(400, 0);
  expect(new TokenBucket(40_000, 0, small).left(0)).toBe(39_600);
});

test("whatever is asked when, it is what exact arithmetic gives", () => {
  const asks = fc.array(
    fc.record({ waitMs: fc.nat({ max: 900 }), credits: fc.integer({ min: 1, max: 1500 }) }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40_000 }), asks, (perSecond, calls) => {
      const bucket = new TokenBucket(perSecond, 0);
      let [nowMs, lastMs] = [0, 0];
      let level = BigInt(perSecond) * 1000n;
      const full = level;
      for (const { waitMs, credits } of calls) {
        nowMs += waitMs;
        level += BigInt((nowMs - lastMs) * perSecond);
        if (level > full) level = full;
        lastMs = nowMs;
        const cost = BigInt(credits) * 1000n;
        const admitted = level >= cost || level === full;
        expect(bucket.take(credits, nowMs)).toBe(admitted);
        if (admitted) level -= cost;
      }
    }),
  );
});
