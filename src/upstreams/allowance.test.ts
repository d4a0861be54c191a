import fc from "fast-check";
import { expect, test } from "vitest";
import { Allowance } from "./allowance.ts";

const setUp = (requestsPerSecond?: number) => {
  const time = { now: 10_000 };
  const allowance = new Allowance({ requestsPerSecond }, { monotonic: () => time.now });
  /** One call, where the node is not at its limit. */
  const tryTake = (): boolean => {
    if (allowance.isLimited()) return false;
    allowance.take();
    return true;
  };
  /** Asks `perMs` times in each of so many milliseconds; how many calls were let through. */
  const pass = (ms: number, perMs: number): number => {
    let passed = 0;
    for (let n = 0; n < ms; n += 1) {
      for (let call = 0; call < perMs; call += 1) passed += tryTake() ? 1 : 0;
      time.now += 1;
    }
    return passed;
  };
  return { time, allowance, pass, tryTake };
};

const calls = fc.array(
  fc.record({
    waitMs: fc.oneof(fc.constant(0), fc.nat({ max: 30 }), fc.nat({ max: 3000 })),
    forced: fc.nat({ max: 9 }).map((n) => n === 0),
    refused: fc.nat({ max: 19 }).map((n) => n === 0),
  }),
  { maxLength: 300 },
);

test("never more than the rate is let through in any second, refused or not", () => {
  fc.assert(
    fc.property(fc.constantFrom(1, 1.5, 2, 7, 40), calls, (rate, wishes) => {
      const { time, allowance, tryTake } = setUp(rate);
      const passed: number[] = [];
      for (const { waitMs, forced, refused } of wishes) {
        time.now += waitMs;
        const isPassed = tryTake();
        if (!isPassed && forced) allowance.take();
        if (isPassed || forced) passed.push(time.now);
        const inSecond = passed.filter((at) => at >= time.now - 1000).length;
        if (isPassed) expect(inSecond).toBeLessThanOrEqual(rate);
        if (refused) allowance.limited(waitMs);
      }
    }),
    { numRuns: 500 },
  );
});

test("98 % of a rate can be used, and all of it at once", () => {
  const { allowance, pass } = setUp(100);
  allowance.takeOwn();
  const atOnce = 1 + pass(1, 500);
  expect(atOnce).toBe(100);
  let used = atOnce + pass(999, 1);
  for (let second = 1; second < 50; second += 1) {
    allowance.takeOwn();
    used += 1 + pass(1000, 1);
  }
  expect(used).toBeGreaterThanOrEqual(0.98 * 50 * 100);
});

test.each([2, 10, 500])(
  "of %d calls a second clients leave one for the gateway's own questions",
  (rate) => {
    const { time, allowance, pass } = setUp(rate);
    for (let second = 0; second < 5; second += 1) {
      expect(pass(1, 1000)).toBe(rate - 1);
      allowance.takeOwn();
      expect(pass(1, 1000)).toBe(0);
      time.now += 1100;
    }
  },
);

test("clients may use all of one call a second", () => {
  const { pass } = setUp(1);
  expect(pass(1, 10)).toBe(1);
});

test("a rate below one a second is kept in the time of one call", () => {
  const { time, pass, tryTake } = setUp(0.5);
  expect(tryTake()).toBe(true);
  expect(pass(2000, 1)).toBe(0);
  time.now += 40;
  expect(tryTake()).toBe(true);
});

test("without a limit and without a refusal everything passes", () => {
  const { allowance, pass } = setUp();
  expect(pass(100, 100)).toBe(10_000);
  expect(allowance.isLimited()).toBe(false);
});

test("a node that refuses is left alone as long as it asks, then gets half, then a tenth more each second", () => {
  const { allowance, pass } = setUp();
  expect(pass(1000, 1)).toBe(1000);
  allowance.limited(3000);
  expect(allowance.isLimited()).toBe(true);
  expect(pass(3000, 1)).toBe(0);
  expect(allowance.isLimited()).toBe(false);
  const second = pass(1000, 2);
  expect(second).toBeGreaterThan(490);
  expect(second).toBeLessThan(610);
  pass(4000, 2);
  const sixth = pass(1000, 2);
  expect(sixth).toBeGreaterThan(950);
  expect(sixth).toBeLessThan(1110);
});

test("calls that are sent whatever the limit do not raise it", () => {
  const { allowance, pass } = setUp();
  pass(1000, 1);
  allowance.limited();
  pass(1000, 1);
  for (let n = 0; n < 5000; n += 1) allowance.take();
  allowance.limited();
  pass(1020, 1);
  expect(pass(1, 1000)).toBeLessThanOrEqual(260);
});

test("a pause is a second where the node names none, and a minute at most", () => {
  const { pass, allowance } = setUp();
  allowance.limited();
  expect(pass(1000, 1)).toBe(0);
  expect(pass(1, 1)).toBe(1);
  allowance.limited(3_600_000);
  allowance.limited(10);
  expect(pass(60_000, 1)).toBe(0);
  expect(pass(1, 1)).toBe(1);
});

test("calls that are refused together halve the rate once", () => {
  const { pass, allowance } = setUp();
  pass(1000, 1);
  for (let n = 0; n < 100; n += 1) allowance.limited(0);
  pass(1000, 1);
  expect(pass(1000, 2)).toBeGreaterThan(500);
});

test("a refusal that comes late, when nothing was sent for a second, halves what was allowed", () => {
  const { pass, allowance } = setUp();
  pass(1000, 1);
  allowance.limited(1500);
  pass(1500, 1);
  allowance.limited(0);
  expect(pass(1, 1000)).toBe(249);
});

test("a node that refuses again and again is asked at least once a second after each pause", () => {
  const { pass, allowance } = setUp(50);
  for (let n = 0; n < 30; n += 1) {
    expect(pass(1100, 1)).toBeGreaterThanOrEqual(1);
    allowance.limited();
    expect(pass(1000, 1)).toBe(0);
  }
});

test("what the operator allows is never exceeded when the rate grows back", () => {
  const { pass, allowance } = setUp(50);
  pass(1000, 1);
  allowance.limited(0);
  pass(60_000, 1);
  expect(pass(1000, 1)).toBeLessThanOrEqual(50);
});
