import fc from "fast-check";
import { expect, test } from "vitest";
import { PeakLatency } from "./latency.ts";

const setUp = () => {
  const time = { now: 1_000_000 };
  return { time, latency: new PeakLatency({ monotonic: () => time.now }) };
};

test("a worse answer counts in full at once, a better one by time: half after 5 s", () => {
  const { time, latency } = setUp();
  latency.record(10);
  expect(latency.cost(0)).toBe(10);
  latency.record(200);
  expect(latency.cost(0)).toBe(200);
  latency.record(100);
  expect(latency.cost(0)).toBe(200);
  time.now += 5000;
  latency.record(100);
  expect(latency.cost(0)).toBeCloseTo(150);
});

test("each call in the air makes the next one dearer", () => {
  const { latency } = setUp();
  latency.record(10);
  expect([0, 1, 4].map((inFlight) => latency.cost(inFlight))).toEqual([10, 20, 50]);
});

test("a call that hangs makes its node dear before it is answered", () => {
  const { time, latency } = setUp();
  latency.record(10);
  const since = time.now;
  time.now += 400;
  expect(latency.cost(1, since)).toBe(800);
  expect(latency.cost(1, time.now - 1)).toBeLessThan(20);
});

test("a node that was slow once and is not asked is tried again after 5 s, by one call", () => {
  const { time, latency } = setUp();
  latency.record(800);
  time.now += 4999;
  expect(latency.cost(0)).toBeGreaterThan(390);
  time.now += 2;
  expect(latency.cost(0)).toBe(0);
  expect(latency.cost(1)).toBeGreaterThan(0);
  latency.record(2);
  expect(latency.cost(0)).toBe(2);
});

test("a node that was never measured is preferred, but not by everybody at once", () => {
  const { time, latency } = setUp();
  const known = setUp().latency;
  known.record(20);
  expect(latency.cost(0)).toBeLessThan(known.cost(0));
  expect(latency.cost(20)).toBeGreaterThan(known.cost(0));
  latency.record(700);
  latency.reset();
  expect(latency.cost(0)).toBe(0);
  time.now += 1;
  latency.record(0.3);
  expect(latency.cost(0)).toBe(0.3);
});

test("a call from before the recovery tells nothing of the node as it is, whenever it ends", () => {
  const { time, latency } = setUp();
  latency.reset();
  time.now += 1900;
  latency.record(3000);
  expect(latency.cost(0)).toBe(0);
  latency.record(5);
  expect(latency.cost(0)).toBe(5);
});

test("the estimate lies between the best and the worst answer while answers come", () => {
  const answers = fc.array(
    fc.record({ ms: fc.double({ min: 0.2, max: 9000, noNaN: true }), waitMs: fc.nat(4900) }),
    { minLength: 1 },
  );
  fc.assert(
    fc.property(answers, (all) => {
      const { time, latency } = setUp();
      for (const { ms, waitMs } of all) {
        time.now += waitMs;
        latency.record(ms);
        expect(latency.cost(0)).toBeGreaterThanOrEqual(ms * (1 - 1e-9));
      }
      const times = all.map(({ ms }) => ms);
      expect(latency.cost(0)).toBeGreaterThanOrEqual(Math.min(...times) * (1 - 1e-9));
      expect(latency.cost(0)).toBeLessThanOrEqual(Math.max(...times) * (1 + 1e-9));
    }),
  );
});
