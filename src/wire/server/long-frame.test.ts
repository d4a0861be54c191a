import fc from "fast-check";
import { expect, test } from "vitest";
import { LargeBuffers } from "../bytes/large-buffers.ts";
import { LongFrame } from "./long-frame.ts";

const KILOBYTE = 1024;
const bytesOf = (size: number): Buffer =>
  Buffer.from(Uint8Array.from({ length: size }, (_, at) => (at * 31) % 251));

test("whatever pieces it comes in, it is joined as it was sent, and what is behind it is left", () => {
  const sizes = fc.oneof(
    fc.integer({ min: 1, max: 200 * KILOBYTE }),
    fc.constantFrom(64, 128, 129),
  );
  const cuts = fc.array(fc.integer({ min: 1, max: 70 * KILOBYTE }), { minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(sizes, cuts, (size, steps) => {
      const sent = bytesOf(size + 10);
      const frame = new LongFrame(size);
      let start = 0;
      for (let at = 0; !frame.isWhole; at += 1) {
        const step = steps[at % steps.length] ?? 1;
        const read = sent.subarray(start, start + step);
        start += frame.add(read, 0);
        expect(frame.heldBytes).toBeLessThan(start + 64 * KILOBYTE);
        expect(frame.heldBytes).toBeGreaterThanOrEqual(start);
      }
      expect(start).toBe(size);
      expect(frame.add(sent, 0)).toBe(0);
      expect(frame.join(new LargeBuffers()).equals(sent.subarray(0, size))).toBe(true);
      expect(frame.heldBytes).toBe(0);
    }),
  );
});
