import { expect, test } from "vitest";
import { bloomBits, isBloom, isEmptyBloom, mayHold } from "./bloom.ts";

const ADDRESS = "0x0f572e5295c57f15886f9b263e2f6d2d6c7b5ec6";
const TOPIC = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** As a node makes it, of addresses and topics. */
function bloomOf(all: readonly string[]): string {
  let bloom = 0n;
  for (const bit of all.flatMap(bloomBits)) bloom |= 1n << BigInt(bit);
  return `0x${bloom.toString(16).padStart(512, "0")}`;
}

test("the bits of an address are those of go-ethereum", () => {
  // core/types/bloom9_test.go has the bits of `testtest`, `test`, `hallo` and `other` in one bloom.
  const texts = ["testtest", "test", "hallo", "other"].map(
    (text) => `0x${Buffer.from(text).toString("hex")}`,
  );
  const bloom = bloomOf(texts);
  for (const text of texts) expect(mayHold(bloom, bloomBits(text))).toBe(true);
  for (const text of ["tes", "lo"]) {
    expect(mayHold(bloom, bloomBits(`0x${Buffer.from(text).toString("hex")}`))).toBe(false);
  }
});

test("what a bloom was made of is found in it, and nothing in an empty one", () => {
  const bloom = bloomOf([ADDRESS, TOPIC]);
  expect(isBloom(bloom)).toBe(true);
  expect(mayHold(bloom, bloomBits(ADDRESS))).toBe(true);
  expect(mayHold(bloom, bloomBits(TOPIC))).toBe(true);
  expect(mayHold(bloom, bloomBits(`${TOPIC.slice(0, -1)}0`))).toBe(false);
  expect(isEmptyBloom(bloom)).toBe(false);
  expect(isEmptyBloom(bloomOf([]))).toBe(true);
  expect(mayHold(bloomOf([]), bloomBits(ADDRESS))).toBe(false);
});
