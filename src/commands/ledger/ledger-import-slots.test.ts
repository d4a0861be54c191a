import fc from "fast-check";
import { expect, test } from "vitest";
import { CommandError } from "../output.ts";
import { parseSlots, stretches } from "./ledger-import-slots.ts";

const slot = fc.maxSafeNat();

test("two slots, the first not above the last, are a range, however they are spaced", () => {
  fc.assert(
    fc.property(slot, slot, (one, other) => {
      const [first, last] = [Math.min(one, other), Math.max(one, other)];
      expect(parseSlots(` ${first}-${last} `)).toEqual({ first, last });
      if (first < last) expect(() => parseSlots(`${last}-${first}`)).toThrow(/before its first/);
    }),
  );
});

test("one slot is a range of one", () => {
  expect(parseSlots("7")).toEqual({ first: 7, last: 7 });
});

test("anything else is refused with what would be right", () => {
  const isRange = (text: string) => /^\s*\d+(-\d+)?\s*$/.test(text);
  const texts = fc.oneof(fc.string(), fc.stringMatching(/^[-0-9 .,ex_]{0,12}$/));
  fc.assert(
    fc.property(
      texts.filter((text) => !isRange(text)),
      (text) => {
        expect(() => parseSlots(text)).toThrow(CommandError);
        expect(() => parseSlots(text)).toThrow(/such as 432000-432999/);
      },
    ),
  );
  expect(() => parseSlots("0-9007199254740993")).toThrow(CommandError);
});

test("stretches cover each slot once, and what is done is one range with the ledger always", () => {
  const sizes = { first: fc.nat(500), count: fc.integer({ min: 1, max: 300 }) };
  const ledgers = fc.option(fc.nat(900), { nil: undefined });
  fc.assert(
    fc.property(fc.record(sizes), fc.integer({ min: 1, max: 50 }), ledgers, (of, size, around) => {
      const range = { first: of.first, last: of.first + of.count - 1 };
      const done: number[] = [];
      for (const { first, last } of stretches(range, { size, around })) {
        expect(last - first).toBeLessThan(size);
        const [least, most] = [Math.min(...done), Math.max(...done)];
        if (done.length > 0) expect([least - 1, most + 1]).toContain(last < least ? last : first);
        for (let each = first; each <= last; each += 1) done.push(each);
      }
      expect(done.sort((a, b) => a - b)).toEqual(
        Array.from({ length: of.count }, (_, index) => of.first + index),
      );
    }),
  );
});
