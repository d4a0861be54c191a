import fc from "fast-check";
import { expect, test } from "vitest";
import { SlidingCount } from "./sliding-count.ts";

test("it counts all of the last span, and at most one step more", () => {
  const waits = fc.array(fc.oneof(fc.nat({ max: 60 }), fc.nat({ max: 5000 })), { maxLength: 200 });
  fc.assert(
    fc.property(waits, fc.boolean(), (gaps, asksBetween) => {
      const count = new SlidingCount(1000, 50);
      const events: number[] = [];
      let now = 0;
      for (const gap of gaps) {
        now += gap;
        if (asksBetween) count.total(now - Math.floor(gap / 2));
        count.add(now);
        events.push(now);
        const since = (ms: number): number => events.filter((at) => at >= now - ms).length;
        expect(count.total(now)).toBeGreaterThanOrEqual(since(1000));
        expect(count.total(now)).toBeLessThanOrEqual(since(1020));
      }
      count.clear();
      expect(count.total(now)).toBe(0);
    }),
  );
});
