import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { JsonReader } from "../jsonrpc/json-reader.ts";
import { encode, type JsonValue } from "../jsonrpc/value.ts";
import { checkParams } from "./check-params.ts";
import { FAMILIES } from "./families.ts";
import { ParamFault } from "./params/param-fault.ts";

const { lookUp, wording } = FAMILIES.evm;

const NODES = "test/fixtures/nodes";
const GETH = `${NODES}/geth.jsonl`;
const CLIENTS = `${NODES}/clients/calls.json`;

type Recording = {
  case: string;
  request?: { method?: unknown; params?: unknown };
  response?: { error?: { code: number; message: string } };
};

function outcome(method: string, params: unknown): string {
  const definition = lookUp(method);
  if (definition === undefined) return "not served";
  const text = JSON.stringify(params ?? null);
  const value: JsonValue = new JsonReader(Buffer.from(text)).value(1);
  try {
    return `taken as ${encode([...checkParams(definition, value, { strict: false, unknownKeys: "refuse", wording })])}`;
  } catch (fault) {
    if (fault instanceof ParamFault) return fault.message;
    throw fault;
  }
}

/** Where the gateway decides otherwise than go-ethereum, each with its reason. */
const DIFFERENCES: readonly (readonly [RegExp, string, string])[] = [
  [
    /_(hex_upper|uppercase_hex|upper|upper_0X)$/,
    "0x prefix|invalid hex",
    "0X is refused: other nodes do",
  ],
  [
    /_(storage_key_null|flag_null)$/,
    "json: cannot unmarshal null",
    "null is no value for a required parameter",
  ],
  [
    /_(obj_unknown_key|unknown_key)$/,
    "unknown field",
    "unknown keys are refused: a typo would go unseen",
  ],
  [/_input_and_data_differ$/, "are set and not equal", "nodes disagree which one counts"],
  [/^tx_index_huge$|_index_u64_over$/, "taken as", "an index above 2^32 is null"],
  [/_(logs_range_3|eth_getLogs_2|eth_getLogs_3)$/, "taken as", "depends on the node and its head"],
];

describe("recorded answers of go-ethereum 1.17 (test/fixtures/nodes)", () => {
  const recordings = readFileSync(GETH, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Recording);
  const served = recordings.flatMap((recording) => {
    const { method, params } = recording.request ?? {};
    if (typeof method !== "string" || lookUp(method) === undefined) return [];
    if (recording.response === undefined) return [];
    const { error } = recording.response;
    const refusal = error?.code === -32602 ? error.message : undefined;
    return [{ name: recording.case, refusal, ours: outcome(method, params) }];
  });
  const differences = served.filter(({ refusal, ours }) =>
    refusal === undefined ? !ours.startsWith("taken as ") : !ours.startsWith(refusal),
  );

  test("what it refused is refused in its words, and what it took is taken, but for listed cases", () => {
    expect(served.length).toBeGreaterThan(500);
    expect(served.filter(({ refusal }) => refusal !== undefined).length).toBeGreaterThan(100);
    const unlisted = differences.filter(
      ({ name, ours }) =>
        !DIFFERENCES.some(([cases, text]) => cases.test(name) && new RegExp(text).test(ours)),
    );
    expect(unlisted).toEqual([]);
  });

  test("each listed difference is one", () => {
    for (const [cases] of DIFFERENCES) {
      expect(
        differences.some(({ name }) => cases.test(name)),
        String(cases),
      ).toBe(true);
    }
  });
});

/** The recordings shorten long values to `0xabc123…`: they are filled up to their kind's length. */
function lengthen(value: unknown, digits: number): unknown {
  if (typeof value === "string") {
    return value.endsWith("…") ? `0x${value.slice(2, -1).padEnd(digits, "0")}` : value;
  }
  if (Array.isArray(value)) return value.map((element) => lengthen(element, digits));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [
    name,
    lengthen(member, name === "from" || name === "to" ? 40 : 72),
  ]);
  return Object.fromEntries(members);
}

describe("recorded calls of clients (test/fixtures/nodes/clients)", () => {
  const byClient = JSON.parse(readFileSync(CLIENTS, "utf8")) as Record<
    string,
    Record<string, { calls?: string[] }>
  >;
  const calls = new Set<string>();
  for (const steps of Object.values(byClient)) {
    for (const step of Object.values(steps)) {
      for (const call of step.calls ?? []) calls.add(call.replace(/^\w+:/, ""));
    }
  }
  const parsed = [...calls].flatMap((call) => {
    const [, method = "", params = ""] = /^(\w+)\((.*)\)$/.exec(call) ?? [];
    if (lookUp(method) === undefined) return [];
    const digits = /Storage|Count|Balance|Code/.test(method) ? 40 : 64;
    return [[method, lengthen(JSON.parse(params), digits)] as const];
  });

  test("every call that viem, ethers and web3 make passes", () => {
    expect(parsed.length).toBeGreaterThan(25);
    for (const [method, params] of parsed) expect(outcome(method, params)).toMatch(/^taken as /);
  });

  test("every call that cast makes passes: no params, both of input and data, chainId", () => {
    const to = `0x${"cf".repeat(20)}`;
    const call = { from: to, to, input: "0x3fa4f245", data: "0x3fa4f245", chainId: "0x7a69" };
    for (const method of ["eth_chainId", "eth_blockNumber"]) {
      expect(outcome(method, undefined)).toBe("taken as []");
    }
    expect(outcome("eth_getTransactionCount", [to, "latest"])).toMatch(/^taken as /);
    expect(outcome("eth_call", [call, "latest"])).toMatch(/^taken as /);
    expect(outcome("eth_estimateGas", [call, "latest"])).toMatch(/^taken as /);
  });
});
