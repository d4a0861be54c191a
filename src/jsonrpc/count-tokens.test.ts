import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { complexityOf } from "../../test/envelope/oracle.ts";
import { countTokens, MAX_TOKENS } from "./count-tokens.ts";
import { MAX_BATCH, parseMessage } from "./parse-message.ts";

const countOf = (text: string) => countTokens(Buffer.from(text));

describe("tokens are counted", () => {
  test.each([
    ["1", 2, 0],
    [' { "a" : [ ] } ', 5, 0],
    ['{"a":-1.5e3,"b":{"c":null}}', 11, 0],
    ['[true,"x:,\\"",[1,2]]', 12, 3],
    ["[[],[[]]]", 8, 2],
    ["[]", 2, 1],
  ])("of %s", (text, tokens, elements) => {
    expect(countOf(text)).toEqual({ tokens, elements, isMalformed: false });
  });

  test("of any JSON as the oracle counts them, however it is laid out", () => {
    const laidOut = fc
      .tuple(fc.jsonValue({ stringUnit: "binary" }), fc.nat({ max: 3 }))
      .map(([value, indent]) => JSON.stringify(value, null, indent));
    fc.assert(
      fc.property(laidOut, (text) => {
        expect(countOf(text).tokens).toBe(complexityOf(Buffer.from(text)));
      }),
      { numRuns: 3000 },
    );
  });

  test("up to the most that a message may have", () => {
    const { tokens, elements } = countOf(`[${"1,".repeat(500_000)}1]`);
    expect(tokens - MAX_TOKENS).toBeGreaterThan(0);
    expect(tokens - MAX_TOKENS).toBeLessThanOrEqual(2);
    expect(elements).toBe(MAX_TOKENS / 2);
  });

  test("until a string is malformed", () => {
    for (const text of ['["a', '["\n"]', '["\\x"]']) expect(countOf(text).isMalformed).toBe(true);
  });
});

describe("a message over 64 KiB", () => {
  const kindOf = (text: string) => {
    const message = parseMessage(Buffer.from(text));
    return message.kind === "fault" ? (message.fault.message ?? message.fault.name) : message.kind;
  };
  const withParams = (params: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[${params}]}`;
  /** The envelope and its list of params have 14 tokens. */
  const values = (count: number) => `${"1,".repeat(count - 1)}1`;

  test("is read with as many tokens as are allowed, and not with one value more", () => {
    const most = (MAX_TOKENS - 14) / 2;
    expect(kindOf(withParams(values(most)))).toBe("single");
    expect(kindOf(withParams(values(most + 1)))).toMatch(/^message too complex: .* 65536 /);
  });

  test("is told that it has too many calls where it has, however few tokens these have", () => {
    expect(kindOf(`[${"{},".repeat(MAX_BATCH)}${values(40_000)}]`)).toBe("batch too large");
    expect(kindOf(`[${"{},".repeat(MAX_BATCH - 2)}[${values(40_000)}]]`)).toMatch(/too complex/);
  });

  test("is no JSON where one of its strings is malformed, however many tokens come before it", () => {
    expect(kindOf(withParams(`${values(30_000)},"\n"${" ".repeat(10_000)}`))).toBe("parse_error");
  });
});
