import fc from "fast-check";
import { expect, test } from "vitest";
import { readAddress, writeAddress } from "./call-address.ts";

const searchOf = (address: string) => new URL(address, "http://localhost").search;

test("a call that is written into the address is read from it again", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.array(fc.jsonValue()), (network, method, list) => {
      const params = JSON.parse(JSON.stringify(list)) as unknown[];
      fc.pre(JSON.stringify(params).length <= 2000);
      const call = { network, method, params };
      expect(readAddress(searchOf(writeAddress(call)))).toEqual(call);
    }),
  );
});

test("a list that is too long is left out, and one that is none is not read", () => {
  const long = { network: "dev", method: "eth_call", params: ["x".repeat(3000)] };
  expect(writeAddress(long)).toBe("/explorer?network=dev&method=eth_call");
  expect(readAddress("?method=a&params=%7B%7D").params).toBeUndefined();
  expect(readAddress("?method=a&params=%5B").params).toBeUndefined();
});
