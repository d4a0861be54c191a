import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readFrame, readHead } from "./ws-frame.ts";

const read = (message: unknown) =>
  readFrame(Buffer.from(typeof message === "string" ? message : JSON.stringify(message)));

const block = {
  number: "0x1",
  hash: `0x${"aB".repeat(32)}`,
  parentHash: `0x${"0c".repeat(32)}`,
  gasLimit: "0x1c9c380",
  timestamp: "0x6b01b9df",
  extraData: "0x",
};
const head = {
  number: 1,
  hash: `0x${"ab".repeat(32)}`,
  parentHash: `0x${"0c".repeat(32)}`,
  gasLimit: "0x1c9c380",
  timestamp: 1795275231,
};
const notification = (params: unknown, method = "eth_subscription") => ({
  jsonrpc: "2.0",
  method,
  params,
});

describe("an answer", () => {
  test.each([
    ['{"jsonrpc":"2.0","id":17,"result":"0x1"}'],
    ['{"id":17,"jsonrpc":"2.0","result":"0x1"}'],
    ['{"id":17,"result":"0x1"}'],
    ['{"jsonrpc":"2.0","result":{"id":5},"id":17}'],
    [' { "result" : null , "id" : 17 , "jsonrpc" : "2.0" } '],
    ['{"jsonrpc":"2.0","id":17,"error":{"code":3,"message":"x"}}'],
    ['{"error":{"id":5},"id":17}'],
    // Cut off, but whose it is can be told.
    ['{"jsonrpc":"2.0","id":17,"resu'],
  ])("is known by its id: %s", (text) => {
    expect(read(text)).toEqual({ kind: "answer", id: 17 });
  });

  test("is known by its id whatever stands beside it, in whatever order", () => {
    const members = fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true });
    fc.assert(
      fc.property(fc.nat(), members, fc.boolean(), (id, others, first) => {
        const { id: _, ...rest } = others;
        const message = first ? { id, ...rest } : { ...rest, id };
        expect(read(message)).toEqual({ kind: "answer", id });
      }),
    );
  });
});

describe("what is no answer", () => {
  test.each([
    [""],
    ["<html>"],
    ["null"],
    ['"x"'],
    ["{}"],
    ['[{"jsonrpc":"2.0","id":1,"result":1}]'],
    ['{"jsonrpc":"2.0","id":"17","result":1}'],
    ['{"jsonrpc":"2.0","id":1.5,"result":1}'],
    ['{"jsonrpc":"2.0","id":-1,"result":1}'],
    ['{"jsonrpc":"2.0","result":1}'],
    ['{"result":1,"id":17} {"result":1,"id":18}'],
    ['{"result":1,"id":17'],
    [JSON.stringify(notification(null))],
    [JSON.stringify(notification([]))],
    [JSON.stringify(notification({ subscription: 5, result: block }))],
    ['{"method":"eth_subscription","params":'],
  ])("is garbage: %s", (text) => {
    expect(read(text)).toEqual({ kind: "garbage" });
  });

  test("without an id may be the error of a request that the node could not read", () => {
    const error = { code: -32700, message: "parse error" };
    expect(read({ jsonrpc: "2.0", id: null, error })).toEqual({ kind: "anonymous_error" });
    expect(read({ error })).toEqual({ kind: "anonymous_error" });
  });

  test("never makes it throw", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        readFrame(Buffer.from(bytes));
      }),
    );
    fc.assert(
      fc.property(fc.json(), (text) => {
        read(text);
      }),
    );
    fc.assert(
      fc.property(fc.jsonValue(), (params) => {
        expect(["event", "garbage"]).toContain(read(notification(params)).kind);
      }),
    );
  });
});

describe("a notification", () => {
  test("is read whatever its result is", () => {
    for (const result of [block, null, undefined, "0x1", { ...block, hash: "0x1" }]) {
      const event = { kind: "event", subscription: "0x9", result };
      expect(read(notification({ subscription: "0x9", result }))).toEqual(event);
    }
  });

  test("of another kind is passed over", () => {
    expect(read(notification({ a: 1 }, "maintenance"))).toEqual({ kind: "other" });
  });
});

describe("a head", () => {
  test("is refused where a member is missing or no quantity or hash", () => {
    expect(readHead(block)).toEqual(head);
    for (const key of ["number", "hash", "parentHash", "gasLimit", "timestamp"]) {
      for (const value of [undefined, null, 1, "", "0x", "1", "0xg", `0x${"1".repeat(70)}`]) {
        expect(readHead({ ...block, [key]: value }), `${key} ${value}`).toBeUndefined();
      }
    }
  });

  test("is refused where its number is beyond what a number holds exactly", () => {
    expect(readHead({ ...block, number: "0xfffffffffffff" })?.number).toBe(2 ** 52 - 1);
    expect(readHead({ ...block, number: "0x10000000000000" })).toBeUndefined();
  });
});
