import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { MethodParam } from "../../../../src/console/contract/session.ts";
import { OWN_METHODS } from "../../../../src/methods/own.ts";
import { EVM_METHODS, SLOT_METHODS } from "../../../../src/methods/registry.ts";
import { encode, encodeAll, initialTexts, kindOf, textsOf } from "./param-texts.ts";

function param(changes: Partial<MethodParam>): MethodParam {
  return {
    name: "p",
    required: false,
    want: "bytes",
    role: null,
    fallback: null,
    members: [],
    ...changes,
  };
}

function paramsOf(method: string): readonly MethodParam[] {
  const definition = [...EVM_METHODS, ...SLOT_METHODS].find((one) => one.method === method);
  return (definition?.params ?? []).map(({ name, required, want, role, fallback }) => ({
    ...{ name, want, required: required === true, role: role ?? null, fallback: fallback ?? null },
    members: [],
  }));
}

describe("the field of a parameter", () => {
  test.each([
    ["eth_getBlockByNumber", ["block", "boolean"]],
    ["eth_getBlockByHash", ["text", "boolean"]],
    ["eth_getUncleByBlockHashAndIndex", ["text", "quantity"]],
    ["eth_getStorageAt", ["text", "quantity", "block"]],
    ["eth_getProof", ["text", "json", "block"]],
    ["eth_call", ["json", "block", "json", "json"]],
    ["eth_getLogs", ["json"]],
    ["eth_feeHistory", ["quantity", "block", "json"]],
    ["web3_sha3", ["text"]],
    ["getBlock", ["number", "json"]],
    ["getBlocksWithLimit", ["number", "number", "json"]],
    ["getMultipleAccounts", ["json", "json"]],
    ["getMinimumBalanceForRentExemption", ["number", "json"]],
    ["getTransaction", ["text", "json"]],
  ])("of %s is one for what it takes", (method, kinds) => {
    expect(paramsOf(method).map(kindOf)).toEqual(kinds);
  });

  test("is there for every parameter of every method", () => {
    for (const { method } of [...EVM_METHODS, ...SLOT_METHODS, ...OWN_METHODS]) {
      const params = paramsOf(method);
      expect(initialTexts(params)).toHaveLength(params.length);
    }
  });
});

describe("a text becomes JSON", () => {
  test.each([
    ["block", "1207", "0x4b7"],
    ["block", "latest", "latest"],
    ["block", '{"blockHash":"0xab"}', { blockHash: "0xab" }],
    ["quantity", "5", "0x5"],
    ["quantity", "0x05", "0x05"],
    ["number", "18", 18],
    ["boolean", "false", false],
    ["text", " 0xab ", "0xab"],
    ["text", "12", "12"],
    ["json", '["a", 1]', ["a", 1]],
    ["json", '"base64"', "base64"],
  ] as const)("as %s: %s", (kind, text, value) => {
    expect(encode(kind, text)).toEqual({ value });
  });

  test.each([
    ["number", "1.5"],
    ["number", "0x5"],
    ["number", "99999999999999999999"],
    ["json", "{to: 1}"],
    ["block", "{"],
  ] as const)("or a fault that says why: %s %s", (kind, text) => {
    expect(encode(kind, text)).toHaveProperty("fault");
  });
});

describe("the list that is sent", () => {
  const params = [
    param({ required: true }),
    param({ role: "block", fallback: "latest" }),
    param({ role: "config" }),
    param({}),
  ];

  test("ends with the last parameter that was given", () => {
    expect(encodeAll(params, ["0xab", "", "", ""]).values).toEqual(["0xab"]);
  });

  test("has the default, or null, in place of what was left empty before that", () => {
    expect(encodeAll(params, ["0xab", "", "", "x"]).values).toEqual(["0xab", "latest", null, "x"]);
  });

  test("names what is needed and was left empty", () => {
    expect(encodeAll(params, ["", "", "", ""]).faults).toEqual({ 0: "This is required." });
  });
});

describe("a raw list", () => {
  test("is shown in the form, and the form says the same list again", () => {
    const params = paramsOf("eth_call");
    const values = [{ to: "0xab", data: "0x" }, "0x4b7", { "0xcd": { balance: "0x1" } }];
    const texts = textsOf(params, values) ?? [];
    expect(encodeAll(params, texts).values).toEqual(values);
  });

  test.each([
    ["more parameters than the method has", "eth_getBlockByHash", ["0xab", true, 3]],
    ["a number where the form writes a text", "eth_getBlockByHash", [5, true]],
    ["a block that the form would rewrite", "eth_getBlockByNumber", ["1207", true]],
  ] as const)("with %s is not shown in the form", (_, method, values) => {
    expect(textsOf(paramsOf(method), values)).toBeUndefined();
  });

  test("is never changed on its way through the form, whatever it holds", () => {
    const methods = fc.constantFrom(...[...EVM_METHODS, ...SLOT_METHODS].map((one) => one.method));
    fc.assert(
      fc.property(methods, fc.array(fc.jsonValue(), { maxLength: 5 }), (method, values) => {
        const sent = JSON.parse(JSON.stringify(values)) as unknown[];
        const texts = textsOf(paramsOf(method), sent);
        if (texts === undefined) return;
        expect(encodeAll(paramsOf(method), texts).values).toEqual(sent);
      }),
    );
  });
});
