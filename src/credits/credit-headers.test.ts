import fc from "fast-check";
import { expect, test } from "vitest";
import { CREDIT_HEADERS, creditHeaders } from "./credit-headers.ts";

const balance = {
  limit: 3_000_000,
  remaining: 2_999_920,
  resetSeconds: 36_000,
  perSecond: 500,
  secondLeft: 420,
};

test("the headers are those of the design, in the form of the IETF draft", () => {
  const lines = creditHeaders(80, balance).split("\r\n");
  expect(lines.pop()).toBe("");
  const pairs = lines.map((line) => line.split(/: (.*)/, 2));
  expect(Object.fromEntries(pairs)).toEqual({
    "X-Credits-Charged": "80",
    "X-Credits-Remaining": "2999920",
    "X-Credits-Reset": "36000",
    "RateLimit-Policy": '"day";q=3000000;w=86400, "second";q=500;w=1',
    RateLimit: '"day";r=2999920;t=36000, "second";r=420;t=1',
  });
  expect(pairs.map(([name]) => name)).toEqual([...CREDIT_HEADERS]);
});

test("they are those of their own balance, whatever answers came before", () => {
  const few = fc.oneof(
    fc.nat({ max: 2 }),
    fc.maxSafeNat(),
    fc.constantFrom(2 ** 30, 2 ** 30 - 1, 2 ** 31, 1_999_999_999, 2_000_000_000, 1e12, 1e12 + 1),
  );
  const balance = fc.record({
    ...{ limit: few, remaining: few, resetSeconds: few, perSecond: few, secondLeft: few },
  });
  fc.assert(
    fc.property(fc.array(balance, { maxLength: 8 }), (balances) => {
      for (const one of balances) {
        const lines = creditHeaders(80, one).split("\r\n");
        expect(lines).toEqual([
          "X-Credits-Charged: 80",
          `X-Credits-Remaining: ${one.remaining}`,
          `X-Credits-Reset: ${one.resetSeconds}`,
          `RateLimit-Policy: "day";q=${one.limit};w=86400, "second";q=${one.perSecond};w=1`,
          `RateLimit: "day";r=${one.remaining};t=${one.resetSeconds}, "second";r=${one.secondLeft};t=1`,
          "",
        ]);
      }
    }),
  );
});
