import fc from "fast-check";
import { expect, test } from "vitest";
import { FAMILIES } from "../methods/families.ts";
import { Needs, type NodeTolerance } from "./needs.ts";
import type { Plan } from "./network.ts";

const METHODS = ["eth_call", "eth_getBlockByNumber", "eth_getTransactionReceipt"];
const number = fc.integer({ min: 15, max: 17 });
const asked = fc.record({
  method: fc.constantFrom(...METHODS),
  block: number,
  minBlock: number,
  depth: number,
  head: number,
  exists: fc.boolean(),
  future: fc.boolean(),
  partner: fc.boolean(),
  tolerance: fc.record({ slack: fc.integer({ min: 0, max: 1 }), partial: fc.boolean() }),
});
type Asked = typeof asked extends fc.Arbitrary<infer Value> ? Value : never;

function needOf(needs: Needs, { method, tolerance, ...rest }: Asked) {
  const plan = { ...rest, definition: FAMILIES.evm.lookUp(method) } as unknown as Plan;
  return needs.of(plan, tolerance satisfies NodeTolerance);
}

test("whatever was asked for before, a plan's need says what it says on its own", () => {
  fc.assert(
    fc.property(fc.array(asked, { minLength: 1, maxLength: 6 }), (several) => {
      const needs = new Needs();
      for (const one of several) expect(needOf(needs, one)).toEqual(needOf(new Needs(), one));
    }),
    { numRuns: 2000 },
  );
});

test("it says what its plan and its method ask of a node", () => {
  const plan = { block: 16, minBlock: 17, depth: 1, head: 18, exists: true, future: false };
  const tolerance = { slack: 5, partial: true };
  const one = { ...plan, method: "eth_getTransactionReceipt", partner: true, tolerance };
  expect(needOf(new Needs(), one)).toEqual({
    ...{ method: "eth_getTransactionReceipt", block: 17, strict: true, partial: true, depth: 1 },
    ...{ head: 18, slack: 5, lookup: true, exists: true, future: false },
    ...{ answerBlock: "blockNumber", partner: true, hasInstead: false },
  });
});

test("calls that ask for the same share it, also where other methods are asked for in between", () => {
  const needs = new Needs();
  const plan = { block: 16, minBlock: -1, depth: 0, head: 16, exists: false, future: false };
  const call = { ...plan, partner: false, tolerance: { slack: 5, partial: false } };
  const first = needOf(needs, { ...call, method: "eth_call" });
  needOf(needs, { ...call, method: "eth_getTransactionReceipt" });
  expect(needOf(needs, { ...call, method: "eth_call" })).toBe(first);
});
