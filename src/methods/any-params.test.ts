import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encode, type JsonValue, NumberToken } from "../jsonrpc/value.ts";
import { checkParams } from "./check-params.ts";
import { EVM_WORDING } from "./evm/wording.ts";
import { ParamFault } from "./params/param-fault.ts";
import { EVM_METHODS } from "./registry.ts";

const KEYS = [
  "from",
  "to",
  "gas",
  "value",
  "data",
  "input",
  "accessList",
  "address",
  "storageKeys",
  "topics",
  "authorizationList",
  "blobs",
  "blockHash",
  "blockNumber",
  "requireCanonical",
  "fromBlock",
  "toBlock",
  "balance",
  "stateDiff",
  "withdrawals",
  "__proto__",
  `0x${"ab".repeat(20)}`,
];

const text = fc.oneof(
  fc.string(),
  fc.constantFrom("latest", "pending", "0x", "0x0", "0X1", "", "\u0000", "0x7fffffffffffffff"),
  fc.stringMatching(/^0x[0-9a-fA-F]{0,70}$/),
  fc.stringMatching(/^0x[0-9a-f]{40}$/),
  fc.stringMatching(/^0x[0-9a-f]{64}$/),
);
const number = fc
  .oneof(fc.integer(), fc.double({ noDefaultInfinity: true, noNaN: true }), fc.bigInt())
  .map((value) => new NumberToken(String(value)));

const { value: anyValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    number,
    text,
    fc.array(tie("value"), { maxLength: 5 }),
    fc
      .array(fc.tuple(fc.oneof(fc.constantFrom(...KEYS), text), tie("value")), { maxLength: 5 })
      .map((members) => new Map(members)),
  ),
}));

/** What is sent, or undefined for a fault; any other exception fails the test. */
function check(
  place: number,
  params: JsonValue,
  strict: boolean,
): readonly JsonValue[] | undefined {
  const definition = EVM_METHODS[place % EVM_METHODS.length];
  if (definition === undefined) throw new Error("no methods");
  try {
    return checkParams(definition, params, { strict, unknownKeys: "pass", wording: EVM_WORDING });
  } catch (fault) {
    if (!(fault instanceof ParamFault)) throw fault;
    expect(fault.message).toMatch(/./);
    return undefined;
  }
}

describe("whatever JSON a client sends for params", () => {
  test("each parameter alone gives a value or a fault, null always a fault where it is required", () => {
    const params = EVM_METHODS.flatMap((definition) => definition.params);
    fc.assert(
      fc.property(fc.constantFrom(...params), anyValue, fc.boolean(), (param, value, strict) => {
        try {
          expect(encode(param.check(value, { strict, unknownKeys: "pass" }))).toMatch(/./);
        } catch (fault) {
          expect(fault).toBeInstanceOf(ParamFault);
        }
      }),
      { numRuns: 5000 },
    );
    for (const param of params)
      expect(() => param.check(null, { strict: true, unknownKeys: "pass" })).toThrow(ParamFault);
  });

  test("the list gives params or a fault, and what is sent is taken again unchanged", () => {
    const list = fc.oneof(anyValue, fc.array(anyValue, { maxLength: 5 }));
    fc.assert(
      fc.property(fc.nat(), list, fc.boolean(), (place, params, strict) => {
        const sent = check(place, params, strict);
        if (sent === undefined) return;
        const again = check(place, [...sent], strict);
        expect(again && encode([...again])).toBe(encode([...sent]));
      }),
      { numRuns: 5000 },
    );
  });

  test("what a call's keys come in makes no difference to what is sent", () => {
    const members: [string, JsonValue][] = [
      ["to", `0x${"ab".repeat(20)}`],
      ["gas", "0x1"],
      ["input", "0x12"],
      ["chainId", "0x1"],
      ["from", `0x${"cd".repeat(20)}`],
    ];
    const place = EVM_METHODS.findIndex(({ method }) => method === "eth_call");
    const expected = encode([...(check(place, [new Map(members)], false) ?? [])]);
    fc.assert(
      fc.property(fc.shuffledSubarray(members, { minLength: members.length }), (shuffled) => {
        const sent = check(place, [new Map(shuffled)], false);
        expect(encode([...(sent ?? [])])).toBe(expected);
      }),
    );
  });
});
