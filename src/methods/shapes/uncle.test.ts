import { expect, test } from "vitest";
import type { ShapeOptions } from "./shape.ts";
import { uncle } from "./uncle.ts";

const OPTIONS: ShapeOptions = {
  pending: true,
  pendingBlock: "documented",
  signatures: "padded",
  finalTotalDifficulty: "0xc70d815d562d3cfa955",
};
const shaped = (text: string) => Buffer.concat(uncle(Buffer.from(text), OPTIONS, [])).toString();

test("an uncle whose node leaves totalDifficulty out has null there, and nothing else changed", () => {
  expect(shaped('{"difficulty":"0x0", "number":"0x1","hash":"0x2","nonce":"0x3"}')).toBe(
    '{"totalDifficulty":null,"difficulty":"0x0", "number":"0x1","hash":"0x2","nonce":"0x3"}',
  );
  expect(shaped(" { } ")).toBe(' {"totalDifficulty":null } ');
});

test.each([
  "null",
  '"0x"',
  "[]",
  "{",
  '{"difficulty":"0x0","totalDifficulty":null}',
  '{"totalDifficulty":"0x5"}',
])("%s is passed as the bytes that came", (text) => {
  const json = Buffer.from(text);
  expect(uncle(json, OPTIONS, [])[0]).toBe(json);
});
