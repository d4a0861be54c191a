import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JsonReader } from "../../jsonrpc/json-reader.ts";
import { encode, type JsonObject, type JsonValue } from "../../jsonrpc/value.ts";
import { checkParams } from "../check-params.ts";
import { FAMILIES } from "../families.ts";
import { foldCase } from "./fields.ts";
import { ParamFault } from "./param-fault.ts";

const { lookUp, wording } = FAMILIES.evm;

const B = `0x${"bb".repeat(20)}`;
const ZERO = `0x${"0".repeat(40)}`;
const CALL = [
  ...["from", "to", "gas", "gasPrice", "maxPriorityFeePerGas", "maxFeePerGas", "value", "data"],
  ...["input", "nonce", "type", "chainId", "accessList", "authorizationList", "maxFeePerBlobGas"],
  ...["blobVersionedHashes", "blobs", "commitments", "proofs"],
];
const FILTER = ["blockHash", "fromBlock", "toBlock", "address", "topics"];

/** What is sent to a node for the params in this JSON text. */
function sent(method: string, text: string, unknownKeys: "pass" | "refuse" = "pass"): string {
  const definition = lookUp(method);
  if (definition === undefined) throw new Error(`no ${method}`);
  const params = new JsonReader(Buffer.from(text)).value(1);
  return encode(checkParams(definition, params, { strict: false, unknownKeys, wording }));
}

function faultOf(...call: Parameters<typeof sent>): string {
  try {
    return `taken as ${sent(...call)}`;
  } catch (fault) {
    if (fault instanceof ParamFault) return fault.message;
    throw fault;
  }
}

describe("a key that is not known", () => {
  test.each([
    "123456789012345678901234567890",
    "1.0",
    "-0.5e-10",
    "null",
    "true",
    '"0xAB"',
    '{"a":[1e400,{"b":null}],"to":"0x1","":[]}',
  ])("is sent with the value %s as it came", (value) => {
    const call = `{"from":"${ZERO}","to":"${B}","feeCurrency":${value}}`;
    expect(sent("eth_call", `[${call},"latest"]`)).toBe(`[${call},"latest"]`);
    expect(sent("eth_getLogs", `[{"fromBlock":"0x1","limit":${value}}]`)).toBe(
      `[{"fromBlock":"0x1","limit":${value}}]`,
    );
  });

  test("is sent under the name that it has, after the known ones", () => {
    const names = ["__proto__", "", "eip712Meta", "\u00e9", "ToO", "t o", "to\u0000"];
    const members = names.map((name) => `${JSON.stringify(name)}:1`).join();
    const inAscii = members.replace("\u00e9", "\\u00e9");
    expect(sent("eth_call", `[{${members},"input":"0x12","gas":null,"to":"${B}"}]`)).toBe(
      `[{"from":"${ZERO}","to":"${B}","data":"0x12",${inAscii}},"latest"]`,
    );
  });

  test("makes another call of it, and known keys stay checked", () => {
    const of = (fee: string) => sent("eth_call", `[{"to":"${B}","feeCurrency":${fee}},"latest"]`);
    expect(of("1")).not.toBe(of("2"));
    expect(faultOf("eth_call", `[{"feeCurrency":1,"gas":"0x01"},"latest"]`)).toContain(
      "hex number with leading zero digits",
    );
    expect(faultOf("eth_getLogs", '[{"x":1,"topics":7}]')).toContain("cannot unmarshal number");
  });

  test("is one of at most 32 in one object", () => {
    const keys = (count: number) => Array.from({ length: count }, (_, at) => `"k${at}":1`).join();
    const fault =
      "invalid argument 0: json: more than 32 unknown fields; want an object with any of";
    expect(sent("eth_call", `[{${keys(32)},"to":"${B}"},"latest"]`)).toContain('"k31":1');
    expect(faultOf("eth_call", `[{${keys(33)},"to":"${B}"},"latest"]`)).toContain(fault);
    expect(sent("eth_getLogs", `[{${keys(32)}}]`)).toContain('"k31":1');
    expect(faultOf("eth_getLogs", `[{${keys(33)}}]`)).toContain(fault);
  });

  test("is refused where the network says so, and always in a block reference", () => {
    const fault =
      'invalid argument 0: json: unknown field "feeCurrency"; want an object with any of';
    expect(faultOf("eth_call", '[{"feeCurrency":1},"latest"]', "refuse")).toContain(fault);
    expect(faultOf("eth_getLogs", '[{"feeCurrency":1}]', "refuse")).toContain(fault);
    const block = `{"blockHash":"0x${"ab".repeat(32)}","x":1}`;
    expect(faultOf("eth_call", `[{},${block}]`)).toContain('unknown field "x"');
    expect(faultOf("eth_call", `[{},"latest",{"${B}":{"x":1}}]`)).toContain('unknown field "x"');
  });
});

describe("a key that a node without regard to case would take for a known one", () => {
  test.each([
    ["eth_call", '"To"', '"To" differs from "to"'],
    ["eth_call", '"TO"', '"TO" differs from "to"'],
    ["eth_call", '"\\u0054o"', '"To" differs from "to"'],
    ["eth_call", '"ga\u017f"', '"ga\\u017f" differs from "gas"'],
    ["eth_estimateGas", '"GAS"', '"GAS" differs from "gas"'],
    ["eth_createAccessList", '"acce\u00dfList"', '"acce\\u00dfList" differs from "accessList"'],
    ["eth_getLogs", '"Address"', '"Address" differs from "address"'],
    ["eth_getLogs", '"addre\u017fs"', '"addre\\u017fs" differs from "address"'],
    ["eth_getLogs", '"fromBloc\u212a"', '"fromBloc\\u212a" differs from "fromBlock"'],
    ["eth_getLogs", '"toBloc\\u212a"', '"toBloc\\u212a" differs from "toBlock"'],
    ["eth_getLogs", '"TOPIC\u017f"', '"TOPIC\\u017f" differs from "topics"'],
    ["eth_getLogs", '"blockhash"', '"blockhash" differs from "blockHash"'],
  ])("%s: %s is refused", (method, key, words) => {
    const fault = `invalid argument 0: json: field ${words} in case alone; want an object with`;
    expect(faultOf(method, `[{${key}:"0x1"}]`)).toContain(fault);
  });

  test("is found whatever character of Unicode stands in it", () => {
    // With both flags a pattern matches by simple case folding, as Go's EqualFold does.
    const letters = "abcdefghijklmnopqrstuvwxyz";
    const found = new Map<string, string>();
    for (let code = 0; code <= 0x10ffff; code += 1) {
      const character = String.fromCodePoint(code);
      const byFolding = /[a-z]/iu.test(character);
      const folded = foldCase(character);
      const isLetter = folded.length === 1 && letters.includes(folded);
      if (byFolding !== isLetter) throw new Error(`U+${code.toString(16)}`);
      if (byFolding) {
        expect(new RegExp(folded, "iu").test(character)).toBe(true);
        if (code > 0x7f) found.set(character, folded);
      }
    }
    expect([...found]).toEqual([
      ["\u017f", "s"],
      ["\u212a", "k"],
    ]);
  });
});

/** As encoding/json of Go finds the field of a key: the very name, else by simple case folding. */
function fieldInGo(key: string, fields: readonly string[]): string | undefined {
  if (fields.includes(key)) return key;
  return fields.find((field) => new RegExp(`^${field}$`, "iu").test(key));
}

/** What a node in Go reads: of the keys that mean one field, the last counts. */
function readInGo(object: JsonObject, fields: readonly string[]): Map<string, JsonValue> {
  const read = new Map<string, JsonValue>();
  for (const [key, value] of object) {
    const field = fieldInGo(key, fields);
    if (field !== undefined) read.set(field, value);
  }
  return read;
}

describe("whatever keys an object has, a node in Go reads what the gateway has checked", () => {
  const variants: Readonly<Record<string, readonly string[]>> = {
    s: ["s", "S", "\u017f"],
    k: ["k", "K", "\u212a"],
  };
  const disguised = (field: string) =>
    fc
      .tuple(
        ...Array.from(field, (letter) =>
          fc.oneof(
            { weight: 8, arbitrary: fc.constant(letter) },
            fc.constantFrom(
              ...(variants[letter.toLowerCase()] ?? [letter.toLowerCase(), letter.toUpperCase()]),
            ),
          ),
        ),
      )
      .map((letters) => letters.join(""));
  const key = (fields: readonly string[]) =>
    fc.oneof(
      fc.constantFrom(...fields).chain(disguised),
      fc.constantFrom(...fields, "feeCurrency", "\u0131nput", "t\u00f6", "to "),
      fc.string({ unit: "grapheme", maxLength: 6 }),
    );
  const escaped = (text: string) =>
    Array.from(text, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);

  test.each([
    ["eth_call", CALL],
    ["eth_getLogs", FILTER],
  ])("%s", (method, fields) => {
    const value = fc.constantFrom('"0x1"', `"${B}"`, '"0x"', "[]", "null", "1");
    const member = fc.tuple(key(fields), value, fc.boolean()).map(([name, text, isEscaped]) => {
      const plain = name.isWellFormed() && [...name].length === name.length;
      const written = isEscaped && plain ? `"${escaped(name).join("")}"` : JSON.stringify(name);
      return `${written}:${text}`;
    });
    let taken = 0;
    fc.assert(
      fc.property(fc.array(member, { maxLength: 4 }), (members) => {
        const answer = faultOf(method, `[{${members.join()}}]`);
        if (!answer.startsWith("taken as ")) return;
        taken += 1;
        const text = answer.slice("taken as ".length);
        const [object] = new JsonReader(Buffer.from(text)).value(1) as [JsonObject];
        const known = new Map([...object].filter(([name]) => fields.includes(name)));
        expect(readInGo(object, fields)).toEqual(known);
      }),
      { numRuns: 3000 },
    );
    expect(taken).toBeGreaterThan(200);
  });
});
