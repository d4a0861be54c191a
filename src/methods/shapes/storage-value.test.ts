import fc from "fast-check";
import { expect, test } from "vitest";
import type { ShapeOptions } from "./shape.ts";
import { storageValue } from "./storage-value.ts";

const OPTIONS: ShapeOptions = {
  pending: false,
  pendingBlock: "documented",
  signatures: "node",
  finalTotalDifficulty: undefined,
};
const shaped = (text: string) =>
  Buffer.concat(storageValue(Buffer.from(text), OPTIONS, [])).toString();

test("a storage value has 64 digits, with the value that the node gave", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[0-9a-fA-F]{0,64}$/), (digits) => {
      const result = JSON.parse(shaped(`"0x${digits}"`));
      expect(result).toMatch(/^0x[0-9a-fA-F]{64}$/);
      expect(BigInt(result)).toBe(BigInt(`0x0${digits}`));
      expect(result.endsWith(digits)).toBe(true);
    }),
  );
  expect(shaped('"0x"')).toBe(`"0x${"0".repeat(64)}"`);
  expect(shaped(' "0x1234"\n')).toBe(`"0x${"0".repeat(60)}1234"`);
});

test.each([
  "null",
  `"0x${"1".repeat(64)}"`,
  `"0x${"1".repeat(65)}"`,
  '"0xg"',
  '"0X1"',
  '"12"',
  '""',
  "12",
  "{}",
  '["0x1"]',
  "",
])("%s is passed as the bytes that came", (text) => {
  const json = Buffer.from(text);
  expect(storageValue(json, OPTIONS, [])).toEqual([json]);
  expect(storageValue(json, OPTIONS, [])[0]).toBe(json);
});
