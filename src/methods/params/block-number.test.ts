import fc from "fast-check";
import { expect, test } from "vitest";
import { readBlockNumber } from "./block-number.ts";
import { isCanonicalQuantity } from "./decode.ts";
import { ParamFault } from "./param-fault.ts";

const digit = fc.constantFrom(..."0123456789abcdefABCDEFgx \u00e9");
const digits = fc.array(digit, { maxLength: 18 }).map((all) => all.join(""));
const text = fc.tuple(fc.constantFrom("0x", "0X", "", "0", "x"), digits).map((all) => all.join(""));

test("a number as all write it is one of at most 15 digits, in lower case, none too many", () => {
  const form = /^0x(0|[1-9a-f][0-9a-f]{0,14})$/;
  fc.assert(
    fc.property(text, (any) => {
      expect(isCanonicalQuantity(any), any).toBe(form.test(any));
    }),
    { numRuns: 20_000 },
  );
});

test("a block number is read whatever its case, and nothing else is", () => {
  const form = /^0x(0|[1-9a-f][0-9a-f]{0,14}|[1-7][0-9a-f]{15})$/i;
  fc.assert(
    fc.property(text, (any) => {
      if (form.test(any) && any.startsWith("0x")) {
        expect(readBlockNumber(any)).toBe(any.toLowerCase());
      } else expect(() => readBlockNumber(any), any).toThrow(ParamFault);
    }),
    { numRuns: 20_000 },
  );
});
