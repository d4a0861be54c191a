import fc from "fast-check";
import { expect, test } from "vitest";
import { ExactNumber, parseLossless, prettyJson } from "./lossless-json.ts";

test("a number beyond 2^53 keeps its digits", () => {
  expect(parseLossless('{"slot":18446744073709551615,"n":7}')).toEqual({
    slot: new ExactNumber("18446744073709551615"),
    n: 7,
  });
  expect(prettyJson('{"slot":18446744073709551615}')).toBe('{\n  "slot": 18446744073709551615\n}');
});

test("an answer is laid out over lines, empty ones stay short", () => {
  expect(prettyJson('{"a":[],"b":{},"c":[1,{"d":null}]}')).toBe(
    '{\n  "a": [],\n  "b": {},\n  "c": [\n    1,\n    {\n      "d": null\n    }\n  ]\n}',
  );
});

test("what is no JSON, such as an answer that was cut, stays as it is", () => {
  expect(prettyJson('{"a":[1,2')).toBe('{"a":[1,2');
});

test("laying out changes nothing of the value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      expect(JSON.parse(prettyJson(text))).toEqual(JSON.parse(text));
    }),
  );
});
