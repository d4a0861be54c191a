import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { JsonReader } from "../../jsonrpc/json-reader.ts";
import { encode, type JsonValue } from "../../jsonrpc/value.ts";
import { checkParams } from "../check-params.ts";
import { FAMILIES } from "../families.ts";
import { ParamFault } from "../params/param-fault.ts";

const AGAVE = "test/fixtures/slot/agave.jsonl";
const CLIENTS = "test/fixtures/nodes/solana/clients.json";
const { lookUp, wording } = FAMILIES.slot;

const parse = (text: string): JsonValue => new JsonReader(Buffer.from(text)).value(1);

/** What is sent to a node, or the text for the client. */
function outcome(method: string, params: JsonValue | undefined): string {
  const definition = lookUp(method);
  if (definition === undefined) throw new Error(`no ${method}`);
  try {
    return encode(
      checkParams(definition, params, { strict: false, unknownKeys: "refuse", wording }),
    );
  } catch (fault) {
    if (fault instanceof ParamFault) return fault.message;
    throw fault;
  }
}

type Line = {
  case: string;
  request?: string | { method: string; params?: unknown };
  responseText?: string;
};
type Recorded = { name: string; method: string; params: JsonValue | undefined; refusal: string };

/** The recorded calls; the refusal is empty where the node took the params. */
function recordedCalls(): Recorded[] {
  const lines = readFileSync(AGAVE, "utf8").trim().split("\n");
  return lines.flatMap((line): Recorded[] => {
    const { case: name, request, responseText } = JSON.parse(line) as Line;
    if (request === undefined || responseText === undefined) return [];
    const text = typeof request === "string" ? request : JSON.stringify(request);
    if (!text.startsWith("{") || text.length < 3) return [];
    const call = parse(text);
    const method = call instanceof Map ? call.get("method") : undefined;
    if (!(call instanceof Map) || typeof method !== "string") return [];
    if (lookUp(method) === undefined || !responseText.startsWith("{")) return [];
    const { error } = JSON.parse(responseText) as { error?: { code: number; message: string } };
    const refusal = error?.code === -32602 ? error.message : "";
    return [{ name, method, params: call.get("params"), refusal }];
  });
}

/** Where the gateway decides otherwise than agave: what it says or sends instead. */
const DIFFERENCES: Readonly<Record<string, string>> = {
  // The specification has it; a confirmed block was processed too.
  "commitment processed": '{"commitment":"confirmed",',
  // A level or a key that nobody knows is a mistake, which agave takes as none.
  "commitment bogus": "At commitment: unknown variant `bogus`, expected one of `processed`,",
  "unknown key": "unknown field `foo`, expected one of `commitment`, `encoding`,",
  // The specification lists four encodings.
  "binary encoding": "At encoding: unknown variant `binary`, expected one of `json`,",
};

const canonical = (params: JsonValue | undefined): string => {
  const [slot = null, config] = Array.isArray(params) ? params : [];
  const given = typeof config === "string" ? new Map([["encoding", config]]) : config;
  const member = (key: string, instead: JsonValue) =>
    encode((given instanceof Map ? given.get(key) : undefined) ?? instead);
  const version = member("maxSupportedTransactionVersion", null);
  const levels: Record<string, string> = { recent: "confirmed", single: "confirmed" };
  const level = JSON.parse(member("commitment", "finalized")) as string;
  const old = ["max", "root"].includes(level) ? "finalized" : (levels[level] ?? level);
  return `[${encode(slot)},{"commitment":"${old}","encoding":${member("encoding", "json")},${
    version === "null" ? "" : `"maxSupportedTransactionVersion":${version},`
  }"rewards":${member("rewards", false)},"transactionDetails":${member("transactionDetails", "full")}}]`;
};

describe("recorded answers of agave 3.0.14 (test/fixtures/slot)", () => {
  const calls = recordedCalls();
  const usual = calls.filter(({ name }) => DIFFERENCES[name] === undefined);

  test("what it refused is refused in its words", () => {
    const refused = usual.filter(({ refusal }) => refusal !== "");
    expect(refused.length).toBeGreaterThan(20);
    const others = refused.filter((call) => {
      return !outcome(call.method, call.params).startsWith(call.refusal);
    });
    expect(others).toEqual([]);
  });

  test("what it took is taken, getBlock's params complete and in one order", () => {
    const taken = usual.filter(({ refusal }) => refusal === "");
    const blocks = taken.filter(({ method }) => method === "getBlock");
    expect(blocks.length).toBeGreaterThan(200);
    for (const { name, method, params } of blocks) {
      expect(outcome(method, params), name).toBe(canonical(params));
    }
    const others = taken.filter(({ method }) => method !== "getBlock");
    expect(new Set(others.map(({ method }) => method)).size).toBeGreaterThan(15);
    for (const { name, method, params } of others) {
      expect(outcome(method, params), name).toBe(encode(params ?? []));
    }
  });

  test.each(Object.entries(DIFFERENCES))("but for %s", (name, ours) => {
    const call = calls.find((each) => each.name === name);
    if (call === undefined) throw new Error("not recorded");
    expect(outcome(call.method, call.params)).toContain(ours);
    if (call.refusal !== "") expect(outcome(call.method, call.params)).not.toContain(call.refusal);
  });
});

describe("what @solana/web3.js and @solana/kit send", () => {
  test("is taken", () => {
    const rows = JSON.parse(readFileSync(CLIENTS, "utf8")) as { sent: string[] }[];
    const sent = rows.flatMap((row) => row.sent).map((text) => /^.*\}(?= \{)/.exec(text)?.[0]);
    expect(sent.length).toBeGreaterThan(15);
    for (const text of sent) {
      const call = parse(text ?? "");
      if (!(call instanceof Map)) throw new Error(String(text));
      const sentOn = outcome(String(call.get("method")), call.get("params"));
      expect(sentOn).toMatch(/^\[\d+,\{"commitment":"(?:confirmed|finalized)",/);
    }
  });
});
