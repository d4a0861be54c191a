import fc from "fast-check";
import { expect, test } from "vitest";
import { batchText, callText } from "./http-json-rpc.ts";

const call = fc.record({
  method: fc.constantFrom("eth_call", "getBlock", "web3_clientVersion"),
  params: fc.array(fc.jsonValue()).map((params) => JSON.stringify(params)),
});
const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER - 20 });

const asSent = (own: number, { method, params }: { method: string; params: string }) => ({
  ...{ jsonrpc: "2.0", id: own, method },
  params: JSON.parse(params),
});

test("a call's text is that call, with its id and its params", () => {
  fc.assert(
    fc.property(id, call, (own, one) => {
      expect(JSON.parse(callText(own, one))).toEqual(asSent(own, one));
    }),
  );
});

test("a batch's text is its calls in their order, with ids in a row", () => {
  fc.assert(
    fc.property(id, fc.array(call, { minLength: 1, maxLength: 20 }), (first, calls) => {
      const text = batchText(
        first,
        calls.map((request) => ({ request })),
      );
      expect(JSON.parse(text)).toEqual(calls.map((one, at) => asSent(first + at, one)));
    }),
  );
});
