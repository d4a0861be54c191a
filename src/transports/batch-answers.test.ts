import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { wholeBytes } from "../lib/bytes.ts";
import { LargeBuffers } from "../wire/bytes/large-buffers.ts";
import { readBatch } from "./batch-answers.ts";
import type { UpstreamAnswer } from "./upstream-answer.ts";

const largeBuffers = new LargeBuffers();

const FIRST = 98;

const read = (text: string | Buffer, count: number, status = 200) =>
  readBatch({ status, body: Buffer.from(text), firstId: FIRST, count }, largeBuffers);
const told = (answer: UpstreamAnswer): unknown =>
  answer.kind === "result" ? wholeBytes(answer.result).toString() : answer;
const answersTo = (text: string | Buffer, count: number, status?: number) =>
  read(text, count, status).answers.map(told);
const kinds = (text: string, count: number) => read(text, count).answers.map(({ kind }) => kind);

const whole = (id: unknown, result: string) => `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
const failed = (id: unknown, message = "no") =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":"${message}"}}`;

/** One element of the node's list, and what it says, as JSON.parse reads it. */
const element = fc
  .record({
    id: fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: FIRST - 2, max: FIRST + 7 }) },
      fc.constantFrom<unknown>(null, "99", 99.5, -1, true),
    ),
    result: fc.oneof(
      fc.stringMatching(/^[\da-f]*$/),
      fc.json(),
      fc.string().map((text) => JSON.stringify(text)),
    ),
    form: fc.constantFrom("plain", "spaced", "last id", "error", "both", "neither", "no object"),
  })
  .map(({ id, result, form }) => {
    const value = /^[\da-f]*$/.test(result) ? `"0x${result}"` : result;
    const key = JSON.stringify(id);
    if (form === "plain") return whole(key, value);
    if (form === "spaced") return `\n{ "id" : ${key},\t"result" :${value} , "jsonrpc":"2.0" } `;
    if (form === "last id") return `{"jsonrpc":"2.0","result":${value},"id":${key}}`;
    if (form === "error") return failed(key);
    if (form === "both") return `{"id":${key},"result":${value},"error":{"code":1}}`;
    if (form === "neither") return `{"jsonrpc":"2.0","id":${key}}`;
    return value.startsWith("{") ? "null" : value;
  });

type Parsed = { readonly id?: unknown; readonly result?: unknown; readonly error?: unknown };

/** Of this id: its one answer, as a plain reading of the list gives it. */
function modelOf(list: readonly unknown[], id: number): unknown {
  const own = list.filter((one) => (one as Parsed | null)?.id === id) as Parsed[];
  const [only] = own;
  if (only === undefined || own.length > 1) return "garbage";
  if (only.error !== undefined) return { error: only.error };
  return "result" in only ? { result: only.result } : "garbage";
}

describe("each call's own answer is found", () => {
  test("as JSON.parse finds it, whatever the order, the forms, doubles, strangers and gaps", () => {
    fc.assert(
      fc.property(
        fc.array(element, { maxLength: 12 }),
        fc.integer({ min: 2, max: 8 }),
        (list, n) => {
          const text = `[${list.join(",")}]`;
          const { answers, sole } = read(text, n);
          const parsed = JSON.parse(text) as unknown[];
          fc.pre(sole === undefined);
          for (const [index, answer] of answers.entries()) {
            const said =
              answer.kind === "result"
                ? { result: JSON.parse(wholeBytes(answer.result).toString()) }
                : answer.kind === "error"
                  ? { error: answer.error }
                  : answer.kind;
            expect(said).toEqual(modelOf(parsed, FIRST + index));
          }
        },
      ),
      { numRuns: 3_000 },
    );
  });

  test("in the node's own bytes", () => {
    const results = [
      '"0x1"',
      '""',
      '"a\\"b"',
      '"a\\"}"',
      '"a\\\\"',
      '"é😀"',
      "1.0",
      '{"a":[1,{"b":"}"}]}',
      "[]",
    ];
    const long = [
      `"0x${"ab".repeat(5000)}"`,
      `"${"\\\\".repeat(2000)}"`,
      `{"a":"${"]".repeat(99)}"}`,
    ];
    const all = [...results, ...long];
    const list = all.map((result, index) => whole(FIRST + index, result)).reverse();
    expect(answersTo(` [${list.join(" , ")}] \n`, all.length)).toEqual(all);
  });

  test("before the place where the list is cut off or malformed; what comes after is garbage", () => {
    const list = `[${whole(98, '"0x1"')},${whole(99, '{"a":"]"}')},${whole(100, "null")}]`;
    for (let end = 1; end < list.length; end += 1) {
      const whole = [
        list.indexOf(',{"jsonrpc":"2.0","id":99'),
        list.indexOf(',{"jsonrpc":"2.0","id":100'),
      ];
      const sound = [...whole, list.length - 1].filter((at) => at <= end).length;
      const expected = [0, 1, 2].map((index) => (index < sound ? "result" : "garbage"));
      expect(kinds(list.slice(0, end), 3)).toEqual(expected);
    }
  });

  test("behind elements that are no objects", () => {
    const list = `[null,${whole(99, "1")},[{}],"x",${whole(98, "2")},7]`;
    expect(answersTo(list, 2)).toEqual(["2", "1"]);
  });
});

describe("a fault of one answer is that call's alone", () => {
  const garbage = { kind: "garbage", status: 200, body: expect.any(String) };

  test.each([
    ["missing", ""],
    ["answered twice", `,${whole(99, "1")},${whole(99, "1")}`],
    ["answered with another form of its id", `,${whole('"99"', "1")}`],
    ["answered with the id null", `,${whole(null, "1")}`],
    ["without result and error", ',{"id":99}'],
    ["with an error that is a text", ',{"id":99,"error":"no","result":1}'],
  ])("%s", (_name, text) => {
    const list = `[${whole(98, '"a"')}${text},${whole(100, '"c"')}]`;
    expect(answersTo(list, 3)).toEqual(['"a"', garbage, '"c"']);
  });

  test("an error of its own", () => {
    const error = { code: -32000, message: "no" };
    const answers = answersTo(`[${failed(99)},${whole(98, '"1"')},${failed(100)}]`, 3, 429);
    const refused = { kind: "error", status: 429, error };
    expect(answers).toEqual([
      { kind: "garbage", status: 429, body: whole(98, '"1"') },
      refused,
      refused,
    ]);
  });
});

describe("what stands in place of the answers is told apart", () => {
  const error = { code: -32000, message: "no" };

  test.each([
    ["an error", failed(null)],
    ["an error without an id", '{"error":{"code":-32000,"message":"no"}}'],
    ["a list of one error", ` [ ${failed(null)} ] `],
  ])("%s is each call's", (_name, text) => {
    const each = { kind: "error", status: 200, error };
    const { answers, sole } = read(text, 3);
    expect(sole).toEqual(each);
    expect(answers).toEqual([each, each, each]);
  });

  test.each([failed(98), `[${failed(98)}]`])(
    "an error of one call's id is not another call's: %s",
    (text) => {
      const { answers, sole } = read(text, 2);
      expect(sole).toEqual({ kind: "error", status: 200, error });
      expect(answers.map(({ kind }) => kind)).toEqual(["error", "garbage"]);
    },
  );

  test.each([
    "",
    "<html>502</html>",
    "[]",
    "null",
    '"x"',
    "{}",
    '{"message":"no"}',
    "[",
    '{"id":98',
  ])("no JSON-RPC at all: %s", (text) => {
    const garbage = { kind: "garbage", status: 502, body: text };
    const { answers, sole } = read(text, 2, 502);
    expect(sole).toEqual(garbage);
    expect(answers).toEqual([garbage, garbage]);
  });

  test("the one answer of a node that reads the first call only is that call's", () => {
    expect(kinds(whole(98, "1"), 2)).toEqual(["result", "garbage"]);
    expect(kinds(`[${whole(99, "1")}]`, 2)).toEqual(["garbage", "result"]);
  });
});

test("no result shares memory with the body or another one, whatever is given back when", () => {
  const texts = [0, 1, 2, 3].map((n) => `"${String(n).repeat(n % 2 === 0 ? 100 : 100_000)}"`);
  const list = `[${texts.map((text, index) => whole(FIRST + index, text)).join(",")}]`;
  const body = largeBuffers.take(list.length);
  body.write(list, "latin1");
  const { answers } = readBatch({ status: 200, body, firstId: FIRST, count: 4 }, largeBuffers);
  largeBuffers.giveBack(body);
  const results = answers.flatMap((answer) => (answer.kind === "result" ? answer.result : []));
  for (const [index, result] of results.entries()) {
    expect(result.toString()).toBe(texts[index]);
    if (typeof result !== "string") {
      result.fill(0);
      largeBuffers.giveBack(result);
    }
    for (const length of [list.length, 100_002]) largeBuffers.take(length).fill(0x58);
  }
  expect(results).toHaveLength(4);
});
