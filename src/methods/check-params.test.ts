import { describe, expect, test } from "vitest";
import { JsonReader } from "../jsonrpc/json-reader.ts";
import { encode, type JsonValue } from "../jsonrpc/value.ts";
import { checkParams } from "./check-params.ts";
import { FAMILIES } from "./families.ts";
import { ParamFault } from "./params/param-fault.ts";

const { lookUp, wording } = FAMILIES.evm;

const ADDRESS = `0x${"aB".repeat(20)}`;
const HASH = `0x${"Cd".repeat(32)}`;
const address = ADDRESS.toLowerCase();
const hash = HASH.toLowerCase();
const zero = `0x${"0".repeat(40)}`;

function parse(text: string): JsonValue {
  return new JsonReader(Buffer.from(text)).value(1);
}

/** What is sent to a node, as JSON text. */
function sent(method: string, params: unknown, strict = false): string {
  const definition = lookUp(method);
  if (definition === undefined) throw new Error(`no ${method}`);
  const text = typeof params === "string" ? params : JSON.stringify(params);
  const value = params === undefined ? undefined : parse(text);
  return encode([...checkParams(definition, value, { strict, unknownKeys: "refuse", wording })]);
}

function faultOf(method: string, params: unknown, strict = false): string {
  try {
    return `taken as ${sent(method, params, strict)}`;
  } catch (fault) {
    if (fault instanceof ParamFault) return fault.message;
    throw fault;
  }
}

const go = "json: cannot unmarshal";
const call = (fields: object) => [{ to: ADDRESS, ...fields }, "latest"];
const field = (name: string, type: string) =>
  `into Go struct field TransactionArgs.${name} of type ${type}`;

describe("faults have the words of go-ethereum 1.17, then what would be right", () => {
  test.each<[string, unknown, string]>([
    // method, params, start of the text
    ["eth_getBlockByHash", [], "missing value for required argument 0; want a block hash"],
    ["eth_getBlockByHash", null, "missing value for required argument 0"],
    ["eth_getBlockByHash", undefined, "missing value for required argument 0"],
    ["eth_getBlockByHash", [HASH], "missing value for required argument 1"],
    ["eth_getBlockByHash", { hash: HASH }, "non-array args"],
    ["eth_getBlockByHash", '"x"', "non-array args"],
    ["eth_getBlockByHash", [HASH, true, 1], "too many arguments, want at most 2"],
    ["eth_chainId", [[]], "too many arguments, want at most 0"],
    // simulations
    [
      "eth_simulateV1",
      [{}],
      "invalid argument 0: empty input; want an object with blockStateCalls",
    ],
    ["eth_simulateV1", [{ blockStateCalls: [] }], "invalid argument 0: empty input"],
    [
      "eth_simulateV1",
      [{ blockStateCalls: Array.from({ length: 257 }, () => ({})) }],
      "invalid argument 0: too many blocks",
    ],
    [
      "eth_simulateV1",
      [{ blockStateCalls: [{ calls: Array.from({ length: 5001 }, () => ({})) }] }],
      "invalid argument 0: too many calls in block: 5001 > 5000",
    ],
    [
      "eth_simulateV1",
      [{ blockStateCalls: [{ call: [] }] }],
      'invalid argument 0: json: unknown field "call"',
    ],
    [
      "eth_simulateV1",
      [{ blockStateCalls: [{ calls: {} }] }],
      `invalid argument 0: ${go} object into Go struct field simBlock.calls of type []ethapi.TransactionArgs`,
    ],
    [
      "eth_simulateV1",
      [{ blockStateCalls: [{}], validation: 1 }],
      `invalid argument 0: ${go} number into Go struct field simOpts.validation of type bool`,
    ],
    // hashes and addresses
    [
      "eth_getTransactionReceipt",
      [HASH.slice(2)],
      `invalid argument 0: ${go} hex string without 0x prefix into Go value of type common.Hash; want a transaction hash: 0x and 64 hexadecimal digits`,
    ],
    [
      "eth_getTransactionReceipt",
      [`0X${HASH.slice(2)}`],
      `invalid argument 0: ${go} hex string without 0x prefix into Go value of type common.Hash`,
    ],
    [
      "eth_getTransactionReceipt",
      [HASH.slice(0, 64)],
      "invalid argument 0: hex string has length 62, want 64 for common.Hash",
    ],
    [
      "eth_getTransactionReceipt",
      [""],
      "invalid argument 0: hex string has length 0, want 64 for common.Hash",
    ],
    [
      "eth_getTransactionReceipt",
      [HASH.slice(0, 65)],
      `invalid argument 0: ${go} hex string of odd length into Go value of type common.Hash`,
    ],
    [
      "eth_getTransactionReceipt",
      [`0xzz${HASH.slice(4)}`],
      `invalid argument 0: ${go} invalid hex string into Go value of type common.Hash`,
    ],
    [
      "eth_getTransactionReceipt",
      [null],
      `invalid argument 0: ${go} non-string into Go value of type common.Hash`,
    ],
    [
      "eth_getTransactionReceipt",
      [12],
      `invalid argument 0: ${go} non-string into Go value of type common.Hash`,
    ],
    [
      "eth_getBalance",
      [ADDRESS.slice(0, 40)],
      "invalid argument 0: hex string has length 38, want 40 for common.Address",
    ],
    [
      "eth_getBalance",
      [ADDRESS.slice(2)],
      `invalid argument 0: ${go} hex string without 0x prefix into Go value of type common.Address`,
    ],
    // block numbers of look-ups
    [
      "eth_getBlockByNumber",
      [123, true],
      "invalid argument 0: hex string without 0x prefix; want a block number",
    ],
    ["eth_getBlockByNumber", ["latestt", true], "invalid argument 0: hex string without 0x prefix"],
    ["eth_getBlockByNumber", ["LATEST", true], "invalid argument 0: hex string without 0x prefix"],
    ["eth_getBlockByNumber", ["0X1", true], "invalid argument 0: hex string without 0x prefix"],
    ["eth_getBlockByNumber", [null, true], "invalid argument 0: hex string without 0x prefix"],
    [
      "eth_getBlockByNumber",
      [{ blockNumber: "0x1" }, true],
      "invalid argument 0: hex string without 0x prefix",
    ],
    ["eth_getBlockByNumber", ["0x", true], 'invalid argument 0: hex string "0x"'],
    ["eth_getBlockByNumber", ["", true], "invalid argument 0: empty hex string"],
    [
      "eth_getBlockByNumber",
      ["0x01", true],
      "invalid argument 0: hex number with leading zero digits",
    ],
    ["eth_getBlockByNumber", ["0x1g", true], "invalid argument 0: invalid hex string"],
    [
      "eth_getBlockByNumber",
      ["0x1g345678901234567", true],
      "invalid argument 0: invalid hex string",
    ],
    [
      "eth_getBlockByNumber",
      ["0x10000000000000000", true],
      "invalid argument 0: hex number > 64 bits",
    ],
    [
      "eth_getBlockByNumber",
      ["0x8000000000000000", true],
      "invalid argument 0: block number larger than int64",
    ],
    // blocks of state methods
    ["eth_getBalance", [ADDRESS, "0x8000000000000000"], "invalid argument 1: blocknumber too high"],
    [
      "eth_getBalance",
      [ADDRESS, "0x10000000000000000"],
      "invalid argument 1: hex number > 64 bits",
    ],
    [
      "eth_getBalance",
      [ADDRESS, 5],
      `invalid argument 1: ${go} number into Go value of type string`,
    ],
    [
      "eth_getBalance",
      [ADDRESS, true],
      `invalid argument 1: ${go} bool into Go value of type string`,
    ],
    [
      "eth_getBalance",
      [ADDRESS, ["0x5"]],
      `invalid argument 1: ${go} array into Go value of type string`,
    ],
    ["eth_getBalance", [ADDRESS, "0X5"], "invalid argument 1: hex string without 0x prefix"],
    [
      "eth_getBalance",
      [ADDRESS, `0X${HASH.slice(2)}`],
      "invalid argument 1: hex string without 0x prefix",
    ],
    ["eth_getBalance", [ADDRESS, `0xg${HASH.slice(3)}`], "invalid argument 1: invalid hex string"],
    [
      "eth_getBalance",
      [ADDRESS, {}],
      "invalid argument 1: must specify either BlockHash or BlockNumber",
    ],
    [
      "eth_getBalance",
      [ADDRESS, { blockHash: null }],
      "invalid argument 1: must specify either BlockHash or BlockNumber",
    ],
    [
      "eth_getBalance",
      [ADDRESS, { blockHash: HASH, blockNumber: "0x1" }],
      "invalid argument 1: cannot specify both BlockHash and BlockNumber, choose one or the other",
    ],
    [
      "eth_getBalance",
      [ADDRESS, { blockHash: "0x12" }],
      `invalid argument 1: ${go} object into Go value of type string`,
    ],
    [
      "eth_getBalance",
      [ADDRESS, { blockHash: HASH, requireCanonical: "yes" }],
      `invalid argument 1: ${go} object into Go value of type string`,
    ],
    [
      "eth_getBalance",
      [ADDRESS, { blockhash: HASH }],
      'invalid argument 1: json: unknown field "blockhash"; want a block number such as "0x1b4", latest, earliest, pending, safe or finalized, a block hash, {blockNumber}, or {blockHash, requireCanonical}',
    ],
    // index, flag
    [
      "eth_getUncleByBlockHashAndIndex",
      [HASH, "0x00"],
      `invalid argument 1: ${go} hex number with leading zero digits into Go value of type hexutil.Uint; want an index`,
    ],
    [
      "eth_getUncleByBlockHashAndIndex",
      [HASH, 0],
      `invalid argument 1: ${go} non-string into Go value of type hexutil.Uint`,
    ],
    [
      "eth_getUncleByBlockHashAndIndex",
      [HASH, "0x"],
      `invalid argument 1: ${go} hex string "0x" into Go value of type hexutil.Uint`,
    ],
    [
      "eth_getUncleByBlockHashAndIndex",
      [HASH, null],
      `invalid argument 1: ${go} non-string into Go value of type hexutil.Uint`,
    ],
    [
      "eth_getBlockByHash",
      [HASH, "true"],
      `invalid argument 1: ${go} string into Go value of type bool`,
    ],
    [
      "eth_getBlockByHash",
      [HASH, 1],
      `invalid argument 1: ${go} number into Go value of type bool`,
    ],
    [
      "eth_getBlockByHash",
      [HASH, null],
      `invalid argument 1: ${go} null into Go value of type bool`,
    ],
    // call object
    [
      "eth_call",
      ["0x"],
      `invalid argument 0: ${go} string into Go value of type ethapi.TransactionArgs`,
    ],
    [
      "eth_call",
      [[]],
      `invalid argument 0: ${go} array into Go value of type ethapi.TransactionArgs`,
    ],
    [
      "eth_call",
      [null],
      `invalid argument 0: ${go} null into Go value of type ethapi.TransactionArgs`,
    ],
    [
      "eth_call",
      call({ gas: 21000 }),
      `invalid argument 0: ${go} non-string ${field("gas", "hexutil.Uint64")}`,
    ],
    [
      "eth_call",
      call({ gas: "0x0f" }),
      `invalid argument 0: ${go} hex number with leading zero digits ${field("gas", "hexutil.Uint64")}`,
    ],
    [
      "eth_call",
      call({ gas: "0x1ffffffffffffffff" }),
      `invalid argument 0: ${go} hex number > 64 bits ${field("gas", "hexutil.Uint64")}`,
    ],
    [
      "eth_call",
      call({ gas: "" }),
      `invalid argument 0: ${go} empty hex string ${field("gas", "hexutil.Uint64")}`,
    ],
    [
      "eth_call",
      call({ value: "1" }),
      `invalid argument 0: ${go} hex string without 0x prefix ${field("value", "*hexutil.Big")}`,
    ],
    [
      "eth_call",
      call({ value: `0x1${"0".repeat(64)}` }),
      `invalid argument 0: ${go} hex number > 256 bits ${field("value", "*hexutil.Big")}`,
    ],
    [
      "eth_call",
      call({ data: "3fa4f245" }),
      `invalid argument 0: ${go} hex string without 0x prefix ${field("data", "hexutil.Bytes")}`,
    ],
    [
      "eth_call",
      call({ data: "0X3fa4" }),
      `invalid argument 0: ${go} hex string without 0x prefix ${field("data", "hexutil.Bytes")}`,
    ],
    [
      "eth_call",
      call({ data: "0x3fa" }),
      `invalid argument 0: ${go} hex string of odd length ${field("data", "hexutil.Bytes")}`,
    ],
    [
      "eth_call",
      call({ data: "0x3fzz" }),
      `invalid argument 0: ${go} invalid hex string ${field("data", "hexutil.Bytes")}`,
    ],
    [
      "eth_call",
      call({ data: "0x12", input: "0x34" }),
      'invalid argument 0: both "data" and "input" are set and not equal',
    ],
    [
      "eth_call",
      call({ gasprice: "0x1" }),
      'invalid argument 0: json: unknown field "gasprice"; want an object with any of the keys from, to, gas, gasPrice,',
    ],
    [
      "eth_call",
      '[{"__proto__":"0x1"}]',
      'invalid argument 0: json: unknown field "__proto__"; want an object with any of the keys from,',
    ],
    [
      "eth_call",
      call({ accessList: {} }),
      `invalid argument 0: ${go} object ${field("accessList", "types.AccessList")}`,
    ],
    [
      "eth_call",
      call({ accessList: [{ address: ADDRESS, storageKeys: ["0x0"] }] }),
      `invalid argument 0: ${go} hex string of odd length ${field("accessList.storageKeys", "common.Hash")}`,
    ],
    [
      "eth_call",
      call({ accessList: [{ address: ADDRESS }] }),
      "invalid argument 0: missing required field 'storageKeys' for AccessTuple",
    ],
    [
      "eth_call",
      call({ authorizationList: [{ address: ADDRESS }] }),
      "invalid argument 0: missing required field 'chainId' for SetCodeAuthorization",
    ],
    [
      "eth_call",
      call({ blobs: ["0x00"] }),
      "invalid argument 0: hex string has length 2, want 262144 for kzg4844.Blob",
    ],
    [
      "eth_call",
      [{ to: "0x12", gas: 1 }],
      "invalid argument 0: hex string has length 2, want 40 for common.Address",
    ],
    [
      "eth_call",
      [{}, "latest", []],
      `invalid argument 2: ${go} array into Go value of type override.StateOverride`,
    ],
    [
      "eth_call",
      [{}, "latest", { "0x12": {} }],
      "invalid argument 2: hex string has length 2, want 40 for common.Address",
    ],
    [
      "eth_call",
      [{}, "latest", { [ADDRESS]: { balance: 1 } }],
      `invalid argument 2: ${go} non-string into Go struct field OverrideAccount.balance of type *hexutil.Big`,
    ],
    [
      "eth_call",
      [{}, "latest", { [ADDRESS]: { storage: {} } }],
      'invalid argument 2: json: unknown field "storage"; want an object of addresses, each with any of the keys balance,',
    ],
    [
      "eth_call",
      [{}, "latest", {}, { time: "x" }],
      `invalid argument 3: ${go} hex string without 0x prefix into Go struct field BlockOverrides.time of type hexutil.Uint64`,
    ],
    // storage positions: the node's whole text
    [
      "eth_getStorageAt",
      [ADDRESS, "0xasdf"],
      'invalid hex in storage key: "0xasdf"; want a storage position',
    ],
    ["eth_getStorageAt", [ADDRESS, "0X0"], 'invalid hex in storage key: "0X0"'],
    [
      "eth_getStorageAt",
      [ADDRESS, `0x${"0".repeat(65)}`],
      `storage key too long (want at most 32 bytes): "0x${"0".repeat(65)}"`,
    ],
    [
      "eth_getStorageAt",
      [ADDRESS, 0],
      `invalid argument 1: ${go} number into Go value of type string`,
    ],
    [
      "eth_getStorageAt",
      [ADDRESS, null],
      `invalid argument 1: ${go} null into Go value of type string`,
    ],
    ["eth_getProof", [ADDRESS, ["0xzz"]], 'invalid hex in storage key: "0xzz"'],
    [
      "eth_getProof",
      [ADDRESS, Array(1025).fill("0x0")],
      "too many storage keys requested (max 1024, got 1025)",
    ],
    // the rest
    [
      "eth_getLogs",
      [{ address: "0x12" }],
      "invalid argument 0: invalid address: hex has invalid length 1 after decoding; expected 20 for address",
    ],
    [
      "eth_getLogs",
      [{ address: [ADDRESS, 1] }],
      "invalid argument 0: non-string address at index 1",
    ],
    [
      "eth_getLogs",
      [{ address: [ADDRESS, "12"] }],
      "invalid argument 0: invalid address at index 1: hex string without 0x prefix",
    ],
    ["eth_getLogs", [{ address: 1 }], "invalid argument 0: invalid addresses in query"],
    [
      "eth_getLogs",
      [{ topics: ["0x12"] }],
      "invalid argument 0: hex has invalid length 1 after decoding; expected 32 for topic",
    ],
    ["eth_getLogs", [{ topics: [[1]] }], "invalid argument 0: invalid topic(s)"],
    [
      "eth_getLogs",
      [{ topics: [null, null, null, null, null] }],
      "invalid argument 0: exceed max topics",
    ],
    [
      "eth_getLogs",
      [{ topics: {} }],
      `invalid argument 0: ${go} object into Go struct field input.topics of type []interface {}`,
    ],
    [
      "eth_getLogs",
      [{ blockHash: HASH, fromBlock: "0x1" }],
      "invalid argument 0: cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other",
    ],
    ["eth_getLogs", [{ fromBlock: "0x10", toBlock: "0x9" }], "invalid block range params"],
    [
      "eth_getLogs",
      [{ addresses: [] }],
      'invalid argument 0: json: unknown field "addresses"; want an object with any of the keys fromBlock, toBlock, address, topics or blockHash',
    ],
    [
      "eth_feeHistory",
      ["five", "latest", []],
      'invalid argument 0: invalid hex or decimal integer "five"',
    ],
    [
      "eth_feeHistory",
      [1.5, "latest", []],
      'invalid argument 0: invalid hex or decimal integer "1.5"',
    ],
    [
      "eth_feeHistory",
      '["0x10000000000000000","latest"]',
      'invalid argument 0: invalid hex or decimal integer "0x10000000000000000"',
    ],
    [
      "eth_feeHistory",
      ["0x1", "latest", ["50"]],
      `invalid argument 2: ${go} string into Go value of type float64`,
    ],
    ["eth_feeHistory", ["0x1", "latest", [101]], "invalid reward percentile: 101.000000"],
    [
      "eth_feeHistory",
      ["0x1", "latest", [50, 20]],
      "invalid reward percentile: #0:50.000000 >= #1:20.000000",
    ],
    [
      "web3_sha3",
      ["abc"],
      `invalid argument 0: ${go} hex string without 0x prefix into Go value of type hexutil.Bytes`,
    ],
  ])("%s %j", (method, params, text) => {
    const fault = faultOf(method, params);
    expect(fault.slice(0, text.length)).toBe(text);
    if (!/^(non-array|too many)/.test(text)) expect(fault).toMatch(/; want ./);
  });

  test("what a client sent is never repeated at length", () => {
    const long = "z".repeat(1_000_000);
    const texts = [
      faultOf("eth_getStorageAt", [ADDRESS, long]),
      faultOf("eth_call", [{ [long]: 1 }]),
      faultOf("eth_feeHistory", [long, "latest"]),
    ];
    for (const text of texts) expect(text.length).toBeLessThan(600);
  });
});

describe("params are whole and canonical", () => {
  const padded = (digits: string) => `0x${digits.padStart(64, "0")}`;
  test.each<[string, unknown, unknown]>([
    ["eth_chainId", undefined, []],
    ["eth_chainId", null, []],
    ["eth_getBlockByHash", [HASH, true], [hash, true]],
    ["eth_getBlockByNumber", ["0xA", false], ["0xa", false]],
    ["eth_getBlockByNumber", ["safe", false], ["safe", false]],
    ["eth_getBlockByNumber", ["0x7fffffffffffffff", false], ["0x7fffffffffffffff", false]],
    ["eth_getTransactionByBlockHashAndIndex", [HASH, "0x100000000"], [hash, "0x100000000"]],
    ["eth_getBlockReceipts", [HASH], [{ blockHash: hash }]],
    // a block left out, null, or in any form
    ["eth_getBalance", [ADDRESS], [address, "latest"]],
    ["eth_getBalance", [ADDRESS, null], [address, "latest"]],
    ["eth_getBalance", [ADDRESS, HASH], [address, { blockHash: hash }]],
    ["eth_getBalance", [ADDRESS, { blockNumber: "0xF" }], [address, "0xf"]],
    ["eth_getBalance", [ADDRESS, { blockNumber: "safe", blockHash: null }], [address, "safe"]],
    [
      "eth_getBalance",
      [ADDRESS, { requireCanonical: false, blockHash: HASH }],
      [address, { blockHash: hash }],
    ],
    [
      "eth_getBalance",
      [ADDRESS, { requireCanonical: true, blockHash: HASH }],
      [address, { blockHash: hash, requireCanonical: true }],
    ],
    // storage positions
    ["eth_getStorageAt", [ADDRESS, "0x0"], [address, padded(""), "latest"]],
    ["eth_getStorageAt", [ADDRESS, "00A"], [address, padded("a"), "latest"]],
    ["eth_getStorageAt", [ADDRESS, HASH, "0x1"], [address, hash, "0x1"]],
    [
      "eth_getProof",
      [ADDRESS, ["0x0", "01", padded("2")]],
      [address, ["0x0", "01", padded("2")], "latest"],
    ],
    // calls
    ["eth_call", [{}], [{ from: zero }, "latest"]],
    [
      "eth_call",
      [{ data: "0x12", to: ADDRESS, from: null }],
      [{ from: zero, to: address, data: "0x12" }, "latest"],
    ],
    [
      "eth_call",
      [{ to: ADDRESS, input: "0x12", data: "0x12", from: ADDRESS }],
      [{ from: address, to: address, data: "0x12" }, "latest"],
    ],
    [
      "eth_call",
      [{ to: ADDRESS, input: "0xAB", data: "0xab", from: ADDRESS }],
      [{ from: address, to: address, data: "0xab" }, "latest"],
    ],
    [
      "eth_call",
      [{ input: "0x12", to: ADDRESS, value: "0x0" }],
      [{ from: zero, to: address, value: "0x0", data: "0x12" }, "latest"],
    ],
    ["eth_call", [{ data: null, input: "0x12" }], [{ from: zero, data: "0x12" }, "latest"]],
    ["eth_call", [{ data: "" }], [{ from: zero, data: "0x" }, "latest"]],
    [
      "eth_call",
      [{}, null, null, { number: "0x1" }],
      [{ from: zero }, "latest", {}, { number: "0x1" }],
    ],
    ["eth_call", [{}, "0x1", null, null], [{ from: zero }, "0x1"]],
    [
      "eth_call",
      [{}, "0x1", { [ADDRESS]: { stateDiff: { [HASH]: HASH }, nonce: "0x1", code: null } }],
      [{ from: zero }, "0x1", { [address]: { nonce: "0x1", stateDiff: { [hash]: hash } } }],
    ],
    [
      "eth_call",
      [{ accessList: [{ storageKeys: [HASH], address: ADDRESS, extra: 1 }] }],
      [{ from: zero, accessList: [{ address, storageKeys: [hash] }] }, "latest"],
    ],
    ["eth_estimateGas", [{ to: ADDRESS }], [{ from: zero, to: address }, "latest"]],
    ["eth_createAccessList", [{ to: ADDRESS }], [{ from: zero, to: address }, "latest"]],
    [
      "eth_simulateV1",
      [{ validation: true, blockStateCalls: [{ calls: [{ input: "0x", to: ADDRESS }] }] }],
      [
        {
          blockStateCalls: [{ calls: [{ from: zero, to: address, data: "0x" }] }],
          validation: true,
        },
        "latest",
      ],
    ],
    // the rest
    ["eth_getLogs", [{}], [{}]],
    [
      "eth_getLogs",
      [
        {
          toBlock: "0x2",
          fromBlock: "0x1",
          address: ADDRESS,
          topics: [null, HASH, [HASH], [HASH, null]],
        },
      ],
      [{ fromBlock: "0x1", toBlock: "0x2", address, topics: [null, hash, [hash], null] }],
    ],
    ["eth_feeHistory", [5, "latest"], ["0x5", "latest", []]],
    ["eth_feeHistory", ["0x0a", "latest", [0, 50.5]], ["0xa", "latest", [0, 50.5]]],
  ])("%s %j", (method, params, expected) => {
    expect(sent(method, params)).toBe(JSON.stringify(expected));
  });

  test("a number keeps the digits it was written with", () => {
    expect(sent("eth_feeHistory", '["0x1","latest",[1.0,5e1]]')).toBe('["0x1","latest",[1.0,5e1]]');
  });

  test("checking takes time in proportion to the length, and 1 MB of data passes unchanged", () => {
    const data = `0x${"aBc1".repeat(262_144)}`;
    const started = performance.now();
    expect(sent("eth_call", [{ data, from: zero }])).toBe(
      JSON.stringify([{ from: zero, data }, "latest"]),
    );
    expect(faultOf("eth_call", [{ data: `${data}g1` }])).toContain("invalid hex string");
    expect(performance.now() - started).toBeLessThan(1000);
  });
});

describe("strictParams enforces each `required` of the specification", () => {
  test.each<[string, unknown, string]>([
    ["eth_call", [{ from: ADDRESS }], "missing value for required argument 1"],
    [
      "eth_call",
      [{ from: ADDRESS }, null],
      "invalid argument 1: must specify either BlockHash or BlockNumber",
    ],
    [
      "eth_call",
      [{ to: ADDRESS }, "latest"],
      "invalid argument 0: missing required field 'from' for TransactionArgs",
    ],
    ["eth_estimateGas", [{ to: ADDRESS }], "missing value for required argument 1"],
    ["eth_getStorageAt", [ADDRESS, "0x0"], "missing value for required argument 2"],
  ])("%s %j", (method, params, text) => {
    expect(faultOf(method, params, true).startsWith(text)).toBe(true);
    expect(faultOf(method, params, false)).toMatch(/^taken as /);
  });

  test("and nothing beyond it", () => {
    expect(sent("eth_estimateGas", [{ to: ADDRESS }, "latest"], true)).toContain(zero);
    expect(sent("eth_call", [{ from: ADDRESS }, "latest"], true)).toContain("latest");
    expect(sent("eth_getBalance", [ADDRESS], true)).toContain("latest");
  });
});
