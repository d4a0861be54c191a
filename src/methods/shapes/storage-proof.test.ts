import { expect, test } from "vitest";
import type { ShapeOptions } from "./shape.ts";
import { storageProof } from "./storage-proof.ts";

const WORD = `0x${"0".repeat(63)}a`;
const options = {} as ShapeOptions;

function shaped(keys: readonly string[], given: readonly unknown[]): unknown[] {
  const result = JSON.stringify({ balance: "0x1", storageProof: given });
  const pieces = storageProof(Buffer.from(result), options, ["0x12", [...keys], "0x1"]);
  return JSON.parse(Buffer.concat([...(pieces as readonly Buffer[])]).toString()).storageProof;
}

test.each([
  ["0xa", WORD],
  ["0x0a", "0xa"],
  ["A", WORD],
  ["0xA", WORD],
  [WORD, "0xa"],
  [WORD, WORD],
])("the key %s is given as the client wrote it, where the node gave %s", (key, echo) => {
  const proof = { key: echo, value: "0x2a", proof: ["0xf8"] };
  expect(shaped([key, "0xb"], [proof, { key: "0xb" }])).toEqual([
    { ...proof, key },
    { key: "0xb" },
  ]);
});

test("a key that was not asked for at its place stays", () => {
  for (const given of [[{ key: "0xb" }], [{ key: 10 }], [{}], [{ key: "0xa" }, { key: "0xa" }]]) {
    expect(shaped(["0x0a"], given)).toEqual(given);
  }
});
