import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { wholeBytes } from "../lib/bytes.ts";
import { READ_BUFFER, readPart } from "../wire/bytes/read-buffer.ts";
import { readAnswer } from "./read-answer.ts";
import type { UpstreamAnswer } from "./upstream-answer.ts";

const ID = 7;
type More = { readonly status?: number; readonly framed?: boolean };

const readBytes = (bytes: Buffer, { status = 200, framed = true }: More) =>
  readAnswer(status, bytes, { id: ID, framed });

/** Of bytes of its own and as a part of what was read, which others use soon. */
function read(text: string | Buffer, more: More = {}): UpstreamAnswer {
  const bytes = Buffer.from(text);
  const answer = readBytes(bytes, more);
  for (const start of bytes.length <= 60_000 ? [0, 61, 62, 63] : []) {
    READ_BUFFER.fill('"}', 0, bytes.length + 128);
    bytes.copy(READ_BUFFER, start);
    const lent = readBytes(readPart(start, start + bytes.length), more);
    READ_BUFFER.fill("9", 0, bytes.length + 128);
    expect(comparable(lent)).toEqual(comparable(answer));
  }
  return answer;
}

const comparable = (answer: UpstreamAnswer) =>
  answer.kind === "result" ? wholeBytes(answer.result).toString("latin1") : answer;

/** The result's bytes; undefined where it is none. */
const resultOf = (answer: UpstreamAnswer): string | undefined =>
  answer.kind === "result" ? wholeBytes(answer.result).toString("utf8") : undefined;

const whole = (result: string) => `{"jsonrpc":"2.0","id":${ID},"result":${result}}`;

const LARGE_TEXT = `"0x${"5b".repeat(10_000)}"`;
const LARGE_BLOCK = JSON.stringify({
  number: "0x1",
  nested: { deep: { deeper: [{ a: { b: {} } }] } },
  transactions: Array.from({ length: 100 }, (_, nonce) => ({ nonce, accessList: [{ keys: [] }] })),
  text: 'a "quote", a \\ and }}]',
});
const RESULTS = [
  "null",
  "true",
  "0",
  '"0x1"',
  '""',
  '"a\\"b"',
  '"é😀"',
  "{}",
  "[]",
  '{"a":[1,{"b":"}"}]}',
  LARGE_TEXT,
  LARGE_BLOCK,
];

describe("a result is the node's own bytes", () => {
  const spaces = fc.stringMatching(/^[ \t\r\n]{0,2}$/);
  test("whatever the order of the keys and the white space", () => {
    const members = fc.tuple(
      fc.constantFrom(...RESULTS),
      fc.constantFrom("", '"error":null', '"extra":{"result":2,"id":9}', '"jsonrpcx":[1]'),
      fc.constantFrom('"result"', '"\\u0072esult"'),
    );
    const layouts = fc.tuple(fc.infiniteStream(fc.nat()), spaces);
    fc.assert(
      fc.property(members, layouts, ([result, extra, key], [order, space]) => {
        const all = ['"jsonrpc":"2.0"', `"id":${ID}`, `${key}${space}:${space}${result}`, extra]
          .filter((member) => member !== "")
          .map((member) => ({ member, rank: order.next().value ?? 0 }))
          .sort((a, b) => a.rank - b.rank)
          .map(({ member }) => space + member);
        const body = `${space}{${all.join(`${space},`)}${space}}${space}`;
        if (resultOf(read(body)) !== result) throw new Error(body.slice(-100));
      }),
      { numRuns: 3_000 },
    );
  });

  test.each(RESULTS.map((result) => [result.slice(0, 20), result]))(
    "%s, with a line's end",
    (_name, result) => {
      for (const head of [`{"jsonrpc":"2.0","id":${ID},`, `{"id":${ID},"jsonrpc":"2.0",`]) {
        expect(resultOf(read(`${head}"result":${result}}\n`))).toBe(result);
        expect(resultOf(read(`${head}"result":${result}}\r\n`))).toBe(result);
      }
    },
  );

  test("the last of two results counts", () => {
    expect(resultOf(read(`{"id":${ID},"result":1,"result":2}`))).toBe("2");
  });

  test.each(['"more":{"b":2}', '"more":[{}]', '"node":"a"', '"a":"}\\""', '"e":{"m":"\\\\"}'])(
    "of a large body holds no member that comes after it: %s",
    (more) => {
      for (const result of [LARGE_TEXT, LARGE_BLOCK, `[${LARGE_BLOCK}]`]) {
        const body = `{"jsonrpc":"2.0","id":${ID},"result":${result},${more}}\n`;
        expect(resultOf(read(body)) === result).toBe(true);
      }
    },
  );

  test.each([2046, 2047])(
    "of %i characters is a text up to 2 KB, and then a part of the body",
    (length) => {
      const result = `"${"x".repeat(length)}"`;
      const body = Buffer.from(`{"jsonrpc":"2.0","id":${ID},"result":${result}}`);
      const answer = readAnswer(200, body, { id: ID, framed: true });
      const [piece] = answer.kind === "result" ? answer.result : [];
      expect(piece?.toString()).toBe(result);
      expect(typeof piece).toBe(length === 2046 ? "string" : "object");
    },
  );

  test.each([3, 4, 5, 120, 507, 508, 509, 510, 511, 512, 513, 514, 515, 516, 600])(
    "of %i characters ends at its own quote, wherever it stands",
    (length) => {
      for (const other of ["", "\u00a2", " ", "!", "#"]) {
        const result = `"${other.repeat(2)}${"x".repeat(length)}${other}"`;
        expect(resultOf(read(whole(result)))).toBe(result);
        expect(read(whole(result).slice(0, -2)).kind).toBe("garbage");
      }
    },
  );

  test("is not copied when it is large", () => {
    const body = Buffer.from(`{"jsonrpc":"2.0","id":${ID},"result":${LARGE_BLOCK}}`);
    const answer = readAnswer(200, body, { id: ID, framed: true });
    expect(wholeBytes(answer.kind === "result" ? answer.result : []).buffer).toBe(body.buffer);
  });

  test("of a small body holds no member that comes after it", () => {
    const body = `{"jsonrpc":"2.0","id":${ID},"result":{"a":1},"more":{"b":2}}`;
    expect(resultOf(read(body))).toBe('{"a":1}');
  });
});

/** What a node may break in the middle of a result, at about this place of it. */
const BREAKS: readonly (readonly [name: string, broken: (result: Buffer) => Buffer])[] = [
  ["another answer", inserted('},{"jsonrpc":"2.0","id":7,"result":{')],
  ["the end of the answer and a second one", inserted('}}{"jsonrpc":"2.0","id":7,"result":{')],
  ["another member of the envelope", inserted('},"id":8,"more":{')],
  ["a quote", inserted('"')],
  ["a control character", inserted("\u0001")],
  ["a line's end", inserted("\n")],
  ["an escape that there is not", inserted("\\x")],
  ["half an escape", inserted("\\u12")],
  ["a byte that begins no character", inserted(Buffer.of(0xff))],
  ["half a character", inserted(Buffer.of(0xe2, 0x82))],
  ["an overlong character", inserted(Buffer.of(0xc0, 0xaf))],
  ["half a surrogate pair in UTF-8", inserted(Buffer.of(0xed, 0xa0, 0x80))],
];

function inserted(bytes: string | Buffer): (result: Buffer) => Buffer {
  return (result) => {
    const middle = result.indexOf("y");
    return Buffer.concat([result.subarray(0, middle), Buffer.from(bytes), result.subarray(middle)]);
  };
}

describe.each([
  ["a short text", '"0xyz"'],
  ["a text", `"${"x".repeat(1000)}y${"x".repeat(2000)}"`],
  ["a large text", `"${"x".repeat(20_000)}y${"x".repeat(20_000)}"`],
  ["an object", '{"a":{"b":"xyz"}}'],
  ["a large object", JSON.stringify({ a: "x".repeat(9000), b: { c: "xyz" }, d: "x".repeat(9000) })],
  ["a list", '["xyz"]'],
])("%s is no result with", (_name, result) => {
  test.each(BREAKS)("%s in it", (_break, broken) => {
    for (const [before, behind] of [
      [`{"jsonrpc":"2.0","id":${ID},"result":`, "}"],
      [`{"id":${ID},"jsonrpc":"2.0","result":`, "}\n"],
      ['{"jsonrpc":"2.0","result":', `,"id":${ID}}`],
      [`{ "jsonrpc":"2.0", "id":${ID}, "result" : `, " }"],
    ]) {
      const made = (text: Buffer) =>
        Buffer.concat([Buffer.from(before ?? ""), text, Buffer.from(behind ?? "")]);
      expect(resultOf(read(made(Buffer.from(result))))).toBe(result);
      expect(read(made(broken(Buffer.from(result)))).kind).toBe("garbage");
    }
  });
});

test("an escaped half of a surrogate pair is JSON", () => {
  for (const result of ['"\\ud800"', `["\\udc00",${LARGE_TEXT}]`]) {
    expect(resultOf(read(whole(result)))).toBe(result);
  }
});

test("what is wrong with a body that begins like an answer is told before its beginning", () => {
  const notUtf8 = Buffer.from(whole('"a?"'));
  notUtf8[notUtf8.indexOf("?")] = 0xff;
  expect(read(notUtf8)).toMatchObject({ body: expect.stringMatching(/^\(invalid UTF-8\) \{/) });
  const cut = whole(LARGE_BLOCK).slice(0, -3);
  expect(read(cut)).toMatchObject({ body: expect.stringMatching(/^\(invalid JSON\) \{/) });
});

describe("what is no answer to the request is garbage", () => {
  test.each(["{}", '{"a":{"b":{"c":{}}}}', '["a",["b"],[]]', '"0x1234"', '"a\\"}"', "null", "12"])(
    "%s, cut off after any byte",
    (result) => {
      const body = whole(result);
      for (let end = 0; end < body.length; end += 1) {
        expect(read(body.slice(0, end)).kind).toBe("garbage");
      }
    },
  );

  test("a large body, cut off after any byte", () => {
    const body = whole(LARGE_BLOCK);
    expect(resultOf(read(body))).toBe(LARGE_BLOCK);
    for (let end = body.length - 1; end > 0; end -= 1) {
      const { kind } = readBytes(Buffer.from(body.slice(0, end)), {});
      if (kind !== "garbage") expect(`${end}: ${kind}`).toBe("garbage");
    }
  });

  test("a large body, cut off where brackets close", () => {
    const cut = whole(JSON.stringify({ list: "x".repeat(5000), a: { b: { c: {} } } })).slice(0, -2);
    expect(cut.endsWith("}}")).toBe(true);
    expect(read(cut).kind).toBe("garbage");
  });

  test("a large text that was cut off", () => {
    const body = whole(LARGE_TEXT);
    for (const end of [100, 5000, body.length - 2, body.length - 1]) {
      expect(read(body.slice(0, end)).kind).toBe("garbage");
    }
  });

  test.each([
    ["another id", '{"jsonrpc":"2.0","id":8,"result":1}'],
    ["the id as a string", '{"jsonrpc":"2.0","id":"7","result":1}'],
    ["an id that begins alike", '{"jsonrpc":"2.0","id":70,"result":1}'],
    ["no id", '{"jsonrpc":"2.0","result":1}'],
    ["the id null", '{"jsonrpc":"2.0","id":null,"result":1}'],
    ["neither result nor error", '{"jsonrpc":"2.0","id":7}'],
    ["a list", '[{"jsonrpc":"2.0","id":7,"result":1}]'],
    ["another id before a large result", `{"jsonrpc":"2.0","id":8,"result":${LARGE_TEXT}}`],
    ["two answers", '{"jsonrpc":"2.0","id":7,"result":1}{"jsonrpc":"2.0","id":7,"result":1}'],
    ["bytes behind it", '{"jsonrpc":"2.0","id":7,"result":1}x'],
    ["a page", "<html><body>502 Bad Gateway</body></html>"],
    ["nothing", ""],
    ["a byte order mark", '\ufeff{"jsonrpc":"2.0","id":7,"result":1}'],
  ])("%s", (_name, body) => {
    expect(read(body)).toMatchObject({ kind: "garbage", status: 200 });
  });

  test("a result with the status of an error", () => {
    expect(read(whole("1"), { status: 500 })).toMatchObject({ kind: "garbage", status: 500 });
  });

  test("and only the beginning of its bytes is kept", () => {
    const answer = read("x".repeat(100_000));
    expect(answer.kind === "garbage" && answer.body).toBe("x".repeat(2048));
  });
});

describe("an error", () => {
  const error = { code: -32000, message: "no", data: { a: [1] } };
  test.each([
    ["of the request's id", `{"jsonrpc":"2.0","id":7,"error":${JSON.stringify(error)}}`],
    ["of a request that the node could not read", `{"id":null,"error":${JSON.stringify(error)}}`],
    ["without an id", `{"error":${JSON.stringify(error)}}`],
    ["beside a result", `{"id":7,"result":{"a":1},"error":${JSON.stringify(error)}}`],
    ["beside the result null", `{"id":7,"result":null,"error":${JSON.stringify(error)}}`],
  ])("%s", (_name, body) => {
    for (const status of [200, 400, 500]) {
      expect(read(body, { status })).toEqual({ kind: "error", status, error });
    }
  });

  test.each(['"a"}}{"id":7,"result":{"b":"c"', '"\u0001"', '"\\x"'])(
    "that is no JSON is none: %s",
    (text) => {
      expect(read(`{"id":7,"error":{"code":1,"message":${text}}}`).kind).toBe("garbage");
    },
  );

  test("that is no UTF-8 is none", () => {
    const body = Buffer.from('{"id":7,"error":{"code":1,"message":"?"}}');
    body[body.indexOf("?")] = 0xe9;
    expect(read(body).kind).toBe("garbage");
  });

  test.each(['{"id":8,"error":{}}', '{"id":7,"error":"text"}', '{"id":7,"error":null}'])(
    "%s is none",
    (body) => {
      expect(read(body).kind).toBe("garbage");
    },
  );
});
