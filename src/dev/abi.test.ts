import { describe, expect, test } from "vitest";
import { encodeArguments, encodeCall, mappingSlot } from "./abi.ts";

const ALICE = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";

describe("calldata", () => {
  test("a call without arguments is the four bytes of its signature", () => {
    expect(encodeCall("totalSupply()")).toBe("0x18160ddd");
  });

  test("addresses and integers stand in the head, left-padded", () => {
    expect(encodeCall("transfer(address,uint256)", [ALICE, 10n ** 18n])).toBe(
      "0xa9059cbb" +
        "00000000000000000000000070997970c51812dc3a010c7d01b50e0d17dc79c8" +
        "0000000000000000000000000000000000000000000000000de0b6b3a7640000",
    );
  });

  test("a text stands in the tail, with its length in bytes, and the head points to it", () => {
    expect(encodeArguments(["string", "uint256"], ["é", 7n])).toBe(
      "0000000000000000000000000000000000000000000000000000000000000040" +
        "0000000000000000000000000000000000000000000000000000000000000007" +
        "0000000000000000000000000000000000000000000000000000000000000002" +
        "c3a9000000000000000000000000000000000000000000000000000000000000",
    );
  });

  test("of two texts the second's offset counts the first, an empty one takes no word of data", () => {
    const words = encodeArguments(["string", "string"], ["", "b"]).match(/.{64}/g);
    expect(words?.map((word) => word.replace(/^0+(?=.)/, ""))).toEqual([
      "40",
      "60",
      "0",
      "1",
      `62${"0".repeat(62)}`,
    ]);
  });
});

test("a mapping's element stands at keccak256 of the padded key and slot", () => {
  expect(mappingSlot("0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266", 1)).toBe(
    "0xa3c1274aadd82e4d12c8004c33fb244ca686dad4fcc8957fc5668588c11d9502",
  );
});
