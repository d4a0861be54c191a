import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseExact } from "./exact-json.ts";

describe("exact JSON", () => {
  test.each([
    '{"a":18446744073709551615,"b":[9007199254740993,-9223372036854775808]}',
    '{"postBalances":[499999995753664286,1],"uiAmount":9007199253.240988}',
    '{"a":9007199254740991,"b":[1,9007199254740992]}',
    '{"a":"x:18446744073709551615,","b":0.000005}',
    '{"a":12345678901234567890.5}',
    "[9007199254740993,9007199254740992,[9007199254740993]]",
    '{"__proto__":{"a":18446744073709551615},"b":[null,true,18446744073709551615]}',
  ])("every number comes out as it was written: %s", (text) => {
    expect(JSON.stringify(parseExact(text))).toBe(text);
  });

  test("white space before a wide integer hides nothing", () => {
    const text = '{"a": 18446744073709551615,\n"b":[\t18446744073709551614 ]}';
    expect(JSON.stringify(parseExact(text))).toBe(text.replaceAll(/\s/g, ""));
  });

  test("any JSON comes out as JSON.parse reads it, but for wide integers", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n }), (value, wide) => {
        const text = JSON.stringify([value, "WIDE", value]).replace('"WIDE"', `${wide}`);
        const expected = JSON.stringify([JSON.parse(JSON.stringify(value)), "WIDE", value]);
        const exact = JSON.stringify(parseExact(text));
        expect(JSON.parse(exact)).toEqual(JSON.parse(expected.replace('"WIDE"', `${wide}`)));
        expect(exact).toContain(`,${wide},`);
      }),
      { numRuns: 1000 },
    );
  });

  test("what fits is a plain number", () => {
    expect(parseExact('{"a":9007199254740991,"b":18446744073709551615}')).toHaveProperty(
      "a",
      9007199254740991,
    );
  });

  test("what is no JSON throws, with wide integers and without", () => {
    expect(() => parseExact("[1,")).toThrow(SyntaxError);
    expect(() => parseExact("[18446744073709551615,")).toThrow(SyntaxError);
  });
});
