import { describe, expect, test } from "vitest";
import { isOneValue, LARGE_BYTES, largeEnd } from "./large-result.ts";
import { readAnswer } from "./read-answer.ts";

const BLOCK = JSON.stringify({
  text: "x".repeat(LARGE_BYTES),
  list: [{ a: [{}] }],
  last: "y".repeat(2000),
});
const HEAD = '{"jsonrpc":"2.0","id":7,"result":';

const resultOf = (text: string, framed = true): string | undefined => {
  const answer = readAnswer(200, Buffer.from(text), { id: 7, framed });
  return answer.kind === "result" ? Buffer.concat(answer.result as Buffer[]).toString() : undefined;
};

describe("a large result", () => {
  test("ends before the tail of its answer", () => {
    for (const space of ["", "\n", " \r\n"]) {
      expect(resultOf(`${HEAD}${BLOCK}}${space}`)).toBe(BLOCK);
      expect(resultOf(`{"jsonrpc":"2.0","result":[${BLOCK}],"id":7}${space}`)).toBe(`[${BLOCK}]`);
    }
  });

  test("holds no small member that stands behind it", () => {
    for (const more of ['"more":{"b":2}', '"more":[{}]', '"a":"}\\""', '"e":{"m":"\\\\"}']) {
      expect(resultOf(`${HEAD}${BLOCK},${more}}`)).toBe(BLOCK);
    }
  });

  test("that may be cut off is looked through", () => {
    const cut = `${HEAD}{"block":${BLOCK}`;
    expect(resultOf(cut, false)).toBeUndefined();
    expect(resultOf(`${HEAD}${BLOCK}}`, false)).toBe(BLOCK);
  });

  test("is one value, or is not", () => {
    expect(isOneValue([BLOCK])).toBe(true);
    expect(isOneValue([BLOCK.slice(0, 10), Buffer.from(BLOCK.slice(10))])).toBe(true);
    expect(isOneValue([`${BLOCK}},{"id":2,"result":${BLOCK}`])).toBe(false);
    expect(isOneValue([BLOCK.slice(0, -1)])).toBe(false);
  });

  test("that is a string ends with its first quote, or is looked through", () => {
    const end = (text: string) => largeEnd(Buffer.from(text), 0, "}");
    expect(end(`"${"x".repeat(10)}"}`)).toBe(12);
    for (const more of ['","more":"b', '\\"', "\\\\"]) {
      expect(end(`"${"x".repeat(10)}${more}"}`)).toBeUndefined();
    }
    const code = `"0x${"5b".repeat(LARGE_BYTES / 2)}"`;
    expect(resultOf(`${HEAD}${code}}`)).toBe(code);
    expect(resultOf(`${HEAD}${code},"more":1}`)).toBe(code);
    expect(resultOf(`${HEAD}${code.slice(0, -1)}}`)).toBeUndefined();
  });

  test("that is no text and no list is looked through", () => {
    expect(largeEnd(Buffer.from(`${"1".repeat(10)}}`), 0, "}")).toBeUndefined();
  });
});
