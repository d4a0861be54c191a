import { describe, expect, test } from "vitest";
import { blockNumberIn, isNull, textIn } from "./answer-block.ts";

describe.each([
  ["a text", (json: string) => [json]],
  ["bytes", (json: string) => [Buffer.from(json)]],
  ["several pieces", (json: string) => [Buffer.from(json.slice(0, 3)), json.slice(3)]],
])("of a result that came as %s", (_, piecesOf) => {
  test("null is told apart", () => {
    expect(isNull(piecesOf("null"))).toBe(true);
    for (const json of ['"0x"', "false", '{"a":null}', "[]"]) {
      expect(isNull(piecesOf(json)), json).toBe(false);
    }
  });

  test("its block's number and its hash are found", () => {
    const block = piecesOf('{"hash":"0xAB","number":"0x10","parent":{"number":"0x9"}}');
    expect([blockNumberIn(block, "number"), textIn(block, "hash")]).toEqual([16, "0xab"]);
    expect(blockNumberIn(piecesOf('"0x10"'), "number")).toBeUndefined();
    const list = piecesOf(
      '[ {"logs":[{"blockHash":"0x1"}],"blockHash":"0xCD"},{"blockHash":"0x2"}]',
    );
    expect(textIn(list, "blockHash")).toBe("0xcd");
    for (const json of ["[]", "[null]", "[[]]"]) {
      expect(textIn(piecesOf(json), "blockHash"), json).toBeUndefined();
    }
  });
});
