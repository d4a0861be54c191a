import { describe, expect, test } from "vitest";
import type { JsonValue } from "../jsonrpc/value.ts";
import { checkParams } from "./check-params.ts";
import { contractsOf } from "./contracts.ts";
import { FAMILIES } from "./families.ts";
import { EVM_METHODS } from "./registry.ts";

const { lookUp, wording } = FAMILIES.evm;

const ADDRESS = `0x${"aB".repeat(20)}`;
const OTHER = `0x${"C0".repeat(20)}`;
const LOWER = ADDRESS.toLowerCase();

const toValue = (value: unknown): JsonValue =>
  Array.isArray(value)
    ? value.map(toValue)
    : typeof value === "object" && value !== null
      ? new Map(Object.entries(value).map(([name, member]) => [name, toValue(member)]))
      : (value as JsonValue);

const contracts = (method: string, ...params: unknown[]): readonly string[] | undefined => {
  const definition = lookUp(method);
  if (definition === undefined) throw new Error(`no method ${method}`);
  return contractsOf(
    definition,
    checkParams(definition, params.map(toValue), { strict: false, unknownKeys: "refuse", wording }),
  );
};

describe("the contracts that a call names", () => {
  test.each([
    ["eth_getStorageAt", [ADDRESS, "0x0", "latest"]],
    ["eth_getBalance", [ADDRESS]],
    ["eth_getCode", [ADDRESS]],
    ["eth_getTransactionCount", [ADDRESS]],
    ["eth_getProof", [ADDRESS, []]],
    ["eth_call", [{ to: ADDRESS, from: OTHER }, "latest", { [OTHER]: { balance: "0x1" } }]],
    ["eth_estimateGas", [{ to: ADDRESS }]],
    ["eth_createAccessList", [{ to: ADDRESS }]],
    ["eth_simulateV1", [{ blockStateCalls: [{ calls: [{ to: ADDRESS }] }] }]],
    ["eth_getLogs", [{ address: ADDRESS }]],
    ["eth_getLogs", [{ address: [ADDRESS] }]],
  ])("%s %j", (method, params) => {
    expect(contracts(method, ...params)).toEqual([LOWER]);
  });

  test("are all addresses of a log filter", () => {
    expect(contracts("eth_getLogs", { address: [ADDRESS, OTHER] })).toEqual([
      LOWER,
      OTHER.toLowerCase(),
    ]);
  });

  test("are those of all calls of a simulation, and none where one of them is a creation", () => {
    const blocks = [{ calls: [{ to: ADDRESS }] }, { calls: [{ to: OTHER }, { to: ADDRESS }] }];
    const named = [LOWER, OTHER.toLowerCase(), LOWER];
    expect(contracts("eth_simulateV1", { blockStateCalls: blocks })).toEqual(named);
    const creation = { calls: [{ to: ADDRESS }, { data: "0x6000" }] };
    expect(contracts("eth_simulateV1", { blockStateCalls: [...blocks, creation] })).toEqual([]);
    expect(contracts("eth_simulateV1", { blockStateCalls: [{}] })).toEqual([]);
  });

  test("are none for creations, and for logs of any contract", () => {
    expect(contracts("eth_call", { data: "0x6000" })).toEqual([]);
    expect(contracts("eth_estimateGas", { to: null, data: "0x6000" })).toEqual([]);
    expect(contracts("eth_getLogs", {})).toEqual([]);
    expect(contracts("eth_getLogs", { address: [] })).toEqual([]);
  });

  test("are undefined for every method that has no place for one", () => {
    const without = EVM_METHODS.filter((definition) => contractsOf(definition, []) === undefined);
    const names = without.map(({ method }) => method);
    expect(names).toContain("eth_chainId");
    expect(names).toContain("eth_getTransactionReceipt");
    expect(names).toHaveLength(EVM_METHODS.length - 10);
  });
});
