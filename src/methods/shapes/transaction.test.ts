import { expect, test } from "vitest";
import type { ShapeOptions } from "./shape.ts";
import { transaction } from "./transaction.ts";

const OPTIONS: ShapeOptions = {
  pending: false,
  pendingBlock: "documented",
  signatures: "node",
  finalTotalDifficulty: undefined,
};
const shaped = (text: string, options: Partial<ShapeOptions> = {}) =>
  Buffer.concat(transaction(Buffer.from(text), { ...OPTIONS, ...options }, [])).toString();

const MINED = '{"blockHash":"0xb1","blockNumber":"0x1", "transactionIndex" : "0x0","hash":"0x1"}';
const PENDING = '{"blockHash":null,"blockNumber":null, "transactionIndex" : null,"hash":"0x1"}';

test("a transaction asked for by index in the pending block has no place in the chain", () => {
  expect(shaped(MINED, { pending: true })).toBe(PENDING);
  expect(shaped('{"hash":"0x1"}', { pending: true })).toBe(
    '{"blockHash":null,"blockNumber":null,"transactionIndex":null,"hash":"0x1"}',
  );
  expect(shaped(MINED, { pending: true, pendingBlock: "node" })).toBe(MINED);
  expect(shaped(MINED)).toBe(MINED);
});

test("where the block's hash is null, its number and the index are null too", () => {
  const half = MINED.replace('"0xb1"', "null");
  expect(shaped(half)).toBe(PENDING);
  expect(shaped(half, { pendingBlock: "node" })).toBe(half);
});

test("r and s have 32 bytes only where signatures are padded, and only the transaction's own", () => {
  const signed =
    '{"authorizationList":[{"r":"0x1","s":"0x2"}],"s":"0xAb","v":"0x1","r":"0x","yParity":"0x1"}';
  expect(shaped(signed)).toBe(signed);
  expect(shaped(signed, { signatures: "padded" })).toBe(
    `{"authorizationList":[{"r":"0x1","s":"0x2"}],"s":"0x${"0".repeat(62)}Ab","v":"0x1",` +
      `"r":"0x${"0".repeat(64)}","yParity":"0x1"}`,
  );
  const whole = `{"r":"0x${"1".repeat(64)}","s":"0x${"2".repeat(65)}"}`;
  expect(shaped(whole, { signatures: "padded" })).toBe(whole);
  expect(shaped('{"r":null,"s":1}', { signatures: "padded" })).toBe('{"r":null,"s":1}');
});

test.each(["null", '"0x1"', "[]", "12", "", '{"a":'])(
  "%j is passed as the bytes that came",
  (text) => {
    const json = Buffer.from(text);
    expect(transaction(json, { ...OPTIONS, pending: true, signatures: "padded" }, [])[0]).toBe(
      json,
    );
  },
);
