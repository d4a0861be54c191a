import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encode, type JsonValue, NumberToken } from "../../jsonrpc/value.ts";
import { checkParams } from "../check-params.ts";
import type { Definition } from "../definition.ts";
import { FAMILIES } from "../families.ts";
import { ParamFault } from "../params/param-fault.ts";
import { SLOT_METHODS } from "../registry.ts";

const ADDRESS = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
const SIGNATURE = "1".repeat(64);
const KEYS = [
  ..."commitment encoding transactionDetails rewards minContextSlot limit before until".split(" "),
  ..."maxSupportedTransactionVersion searchTransactionHistory dataSlice offset length".split(" "),
  ..."filters memcmp dataSize bytes mint programId accounts addresses sigVerify".split(" "),
  ..."replaceRecentBlockhash innerInstructions withContext sortResults __proto__".split(" "),
];
const WORDS = [
  ..."processed confirmed finalized recent max json jsonParsed base58 base64 base64+zstd".split(
    " ",
  ),
  ..."binary full accounts signatures none tokenAccountState bogus".split(" "),
];

const text = fc.oneof(
  fc.string(),
  fc.constantFrom(...WORDS, ADDRESS, SIGNATURE, "", "\u0000"),
  fc.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{0,90}$/),
);
const number = fc
  .oneof(
    fc.integer({ min: -2, max: 300 }).map(String),
    fc.double({ noDefaultInfinity: true, noNaN: true }).map(String),
    fc.bigInt().map(String),
    fc.constantFrom("33.0", "1e2", "-0", "1e999", "18446744073709551615", "18446744073709551616"),
  )
  .map((written) => new NumberToken(written));

const { value: anyValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    number,
    text,
    fc.array(tie("value"), { maxLength: 5 }),
    fc
      .array(
        fc.tuple(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...KEYS) }, text), tie("value")),
        {
          maxLength: 5,
        },
      )
      .map((members) => new Map(members)),
  ),
}));

/** Values that are often right, by the name of the key that they stand at. */
const likely: Readonly<Record<string, fc.Arbitrary<JsonValue>>> = {
  commitment: fc.constantFrom("processed", "confirmed", "finalized", "max", null),
  encoding: fc.constantFrom("json", "jsonParsed", "base58", "base64", "base64+zstd"),
  transactionDetails: fc.constantFrom("full", "accounts", "signatures", "none"),
  rewards: fc.boolean(),
  maxSupportedTransactionVersion: fc.constantFrom("0", "255", "0.0").map((n) => new NumberToken(n)),
  minContextSlot: fc.constant(new NumberToken("7")),
  limit: fc.constantFrom("1", "1000").map((n) => new NumberToken(n)),
  before: fc.constant(SIGNATURE),
  filters: fc.constant([new Map([["dataSize", new NumberToken("165")]]), "tokenAccountState"]),
  sigVerify: fc.boolean(),
  replaceRecentBlockhash: fc.boolean(),
};
const likelyConfig = fc
  .subarray(Object.keys(likely))
  .chain((keys) =>
    fc.tuple(...keys.map((key) => fc.tuple(fc.constant(key), likely[key] ?? anyValue))),
  )
  .map((members) => new Map(members));
const likelyValue = fc.oneof(
  likelyConfig,
  anyValue,
  fc.constantFrom<JsonValue>(ADDRESS, SIGNATURE, [ADDRESS], [SIGNATURE], null),
  fc.nat(600_000).map((slot) => new NumberToken(String(slot))),
  fc.constant<JsonValue>(new Map([["mint", ADDRESS]])),
);

const subject = fc.constantFrom<JsonValue>(
  ...[ADDRESS, SIGNATURE],
  ...[[ADDRESS], [SIGNATURE], new NumberToken("7")],
);
/** What hardly ever comes together by itself, and nearly every method takes one of. */
const usualList: fc.Arbitrary<JsonValue[]> = fc.oneof(
  fc.tuple(subject),
  fc.constant<JsonValue[]>([new NumberToken("7"), new NumberToken("9")]),
  fc.tuple(subject, likelyConfig),
  fc.tuple(subject, fc.constant<JsonValue>(new Map([["mint", ADDRESS]]))),
);

const { wording } = FAMILIES.slot;

/** What is sent, or undefined for a fault; any other exception fails the test. */
function check(definition: Definition, params: JsonValue): readonly JsonValue[] | undefined {
  try {
    return checkParams(definition, params, { strict: false, unknownKeys: "refuse", wording });
  } catch (fault) {
    if (!(fault instanceof ParamFault)) throw fault;
    expect(fault.message).toMatch(/^(?:Inv|`params`|Too|Slot|Limit|base58|unsup|sigVerify)/);
    expect(fault.message.length).toBeLessThan(1000);
    return undefined;
  }
}

describe("whatever JSON a client sends for params of a slot network", () => {
  test("the list gives params or a fault, and what is sent is taken again unchanged", () => {
    const taken = new Set<string>();
    const list = fc.oneof(
      { weight: 5, arbitrary: fc.array(likelyValue, { maxLength: 4 }) },
      { weight: 5, arbitrary: usualList },
      anyValue,
    );
    fc.assert(
      fc.property(fc.constantFrom(...SLOT_METHODS), list, (definition, params) => {
        const sent = check(definition, params);
        if (sent === undefined) return;
        taken.add(definition.method);
        expect(encode(check(definition, [...sent]) ?? "refused")).toBe(encode(sent));
      }),
      { numRuns: 20_000 },
    );
    const never = SLOT_METHODS.filter(({ method }) => !taken.has(method));
    expect(never.map(({ method }) => method)).toEqual([]);
  });

  test("each parameter alone gives a value or a fault, null always a fault", () => {
    const params = SLOT_METHODS.flatMap((definition) => definition.params);
    fc.assert(
      fc.property(fc.constantFrom(...params), likelyValue, (param, value) => {
        try {
          expect(encode(param.check(value, { strict: false, unknownKeys: "pass" }))).toMatch(/./);
        } catch (fault) {
          expect(fault).toBeInstanceOf(ParamFault);
        }
      }),
      { numRuns: 5000 },
    );
    for (const param of params)
      expect(() => param.check(null, { strict: false, unknownKeys: "pass" })).toThrow(ParamFault);
  });

  test("what a config's keys come in, or a null among them, makes no difference to what is sent", () => {
    const members: [string, JsonValue][] = [
      ["rewards", true],
      ["commitment", "processed"],
      ["encoding", "base64"],
      ["transactionDetails", null],
      ["maxSupportedTransactionVersion", new NumberToken("0.0")],
    ];
    const getBlock = SLOT_METHODS.find(({ method }) => method === "getBlock");
    if (getBlock === undefined) throw new Error("no getBlock");
    fc.assert(
      fc.property(fc.shuffledSubarray(members, { minLength: members.length }), (shuffled) => {
        const sent = check(getBlock, [new NumberToken("33.0"), new Map(shuffled)]);
        expect(encode(sent ?? [])).toBe(
          '[33,{"commitment":"confirmed","encoding":"base64","maxSupportedTransactionVersion":0,' +
            '"rewards":true,"transactionDetails":"full"}]',
        );
      }),
    );
  });
});
