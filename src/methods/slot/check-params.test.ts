import { describe, expect, test } from "vitest";
import { JsonReader } from "../../jsonrpc/json-reader.ts";
import { encode } from "../../jsonrpc/value.ts";
import { checkParams } from "../check-params.ts";
import { FAMILIES } from "../families.ts";
import { ParamFault } from "../params/param-fault.ts";

const { lookUp, wording } = FAMILIES.slot;
const KEY = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
const SIGNATURE = "1".repeat(64);
const many = (count: number, value: string) => Array.from({ length: count }, () => value);

/** What is sent to a node, or the text for the client. `params` as JSON text. */
function outcome(method: string, params: string): string {
  const definition = lookUp(method);
  if (definition === undefined) throw new Error(`no ${method}`);
  const value = new JsonReader(Buffer.from(params)).value(1);
  try {
    return encode(
      checkParams(definition, value, { strict: false, unknownKeys: "refuse", wording }),
    );
  } catch (fault) {
    if (fault instanceof ParamFault) return fault.message;
    throw fault;
  }
}

const wrapper = "data did not match any variant of untagged enum";
const json = (value: unknown) => JSON.stringify(value);

describe("faults have the words of agave 3.0, then where they are and what would be right", () => {
  test.each<[string, string, string]>([
    // the list itself
    ["getSlot", '{"a":1}', "`params` should be an array"],
    ["getSlot", "[{},1]", "Invalid parameters: Expected from 0 to 1 parameters."],
    ["getGenesisHash", "[null]", "Invalid parameters: No parameters were expected"],
    ["getGenesisHash", "{}", "Invalid parameters: No parameters were expected"],
    ["getBlockTime", "[]", "Invalid params: invalid length 0, expected a tuple of size 1."],
    [
      "getBlockTime",
      "[1,2]",
      "Invalid params: invalid length 2, expected fewer elements in array.",
    ],
    ["getBlockTime", "{}", "Invalid params: invalid type: map, expected a tuple of size 1."],
    ["getBlocksWithLimit", "[1]", "`params` should have at least 2 argument(s)"],
    // numbers
    ["getBlock", "[true]", "Invalid params: invalid type: boolean `true`, expected u64."],
    ["getBlock", "[[]]", "Invalid params: invalid type: sequence, expected u64."],
    ["getBlock", "[{}]", "Invalid params: invalid type: map, expected u64."],
    ["getBlock", "[-0]", "Invalid params: invalid type: floating point `-0.0`, expected u64."],
    ["getBlock", "[1e2]", "Invalid params: invalid type: floating point `100.0`, expected u64."],
    [
      "getBlock",
      "[1.5e-7]",
      "Invalid params: invalid type: floating point `1.5e-7`, expected u64.",
    ],
    ["getBlock", "[0.001]", "Invalid params: invalid type: floating point `0.001`, expected u64."],
    [
      "getBlock",
      "[9007199254740992.0]",
      "Invalid params: invalid type: floating point `9007199254740992.0`, expected u64.",
    ],
    [
      "getBlock",
      "[-9223372036854775809]",
      "Invalid params: invalid type: floating point `-9.223372036854776e18`, expected u64.",
    ],
    // getBlock's config
    [
      "getBlock",
      '[1,{"rewards":"yes"}]',
      `Invalid params: ${wrapper} RpcEncodingConfigWrapper. At rewards: invalid type: string "yes", expected a boolean.`,
    ],
    [
      "getBlock",
      '[1,{"maxSupportedTransactionVersion":256}]',
      `Invalid params: ${wrapper} RpcEncodingConfigWrapper. At maxSupportedTransactionVersion: invalid value: integer \`256\`, expected u8.`,
    ],
    [
      "getBlock",
      '[1,{"minContextSlot":1}]',
      `Invalid params: ${wrapper} RpcEncodingConfigWrapper. unknown field \`minContextSlot\`, expected one of \`commitment\`, \`encoding\`, \`maxSupportedTransactionVersion\`, \`rewards\`, \`transactionDetails\`.`,
    ],
    [
      "getBlock",
      "[1,3]",
      `Invalid params: ${wrapper} RpcEncodingConfigWrapper. invalid type: integer \`3\`, expected struct RpcBlockConfig. Want an object with any of the keys commitment, encoding, maxSupportedTransactionVersion, rewards, transactionDetails.`,
    ],
    // other configs
    [
      "getSlot",
      '[{"minContextSlot":"1"}]',
      'Invalid params: invalid type: string "1", expected u64. At minContextSlot.',
    ],
    [
      "getSlot",
      '["finalized"]',
      'Invalid params: invalid type: string "finalized", expected struct RpcContextConfig. Want an object with any of the keys commitment, minContextSlot.',
    ],
    [
      "getSlot",
      '[{"commitment":"soon"}]',
      "Invalid params: unknown variant `soon`, expected one of `processed`, `confirmed`, `finalized`. At commitment.",
    ],
    [
      "getTokenSupply",
      json([KEY, { minContextSlot: 1 }]),
      "Invalid params: unknown field `minContextSlot`, expected `commitment`.",
    ],
    // keys
    [
      "getBalance",
      json([KEY.slice(1)]),
      "Invalid param: WrongSize. Want an address: 32 bytes in base58.",
    ],
    ["getBalance", json([`0${KEY.slice(1)}`]), "Invalid param: Invalid. Want an address"],
    ["getBalance", json([`${KEY}11`]), "Invalid param: WrongSize. Want an address"],
    ["getBalance", json(["z".repeat(44)]), "Invalid param: Invalid. Want an address"],
    ["getBalance", "[1]", "Invalid params: invalid type: integer `1`, expected a string."],
    ["isBlockhashValid", '["1"]', "Invalid param: WrongSize. Want a hash"],
    ["getTransaction", json([KEY]), "Invalid param: WrongSize. Want a signature"],
    [
      "getMultipleAccounts",
      json([[KEY, KEY, "1"]]),
      "Invalid param: WrongSize. At [2]: want an address: 32 bytes in base58.",
    ],
    // limits
    ["getMultipleAccounts", json([many(101, KEY)]), "Too many inputs provided; max 100"],
    ["getSignatureStatuses", json([many(257, SIGNATURE)]), "Too many inputs provided; max 256"],
    ["getRecentPrioritizationFees", json([many(129, KEY)]), "Too many inputs provided; max 128"],
    ["getSignaturesForAddress", json([KEY, { limit: 0 }]), "Invalid limit; max 1000. At limit."],
    ["getSignaturesForAddress", json([KEY, { limit: 1001 }]), "Invalid limit; max 1000. At limit."],
    [
      "getSignaturesForAddress",
      json([KEY, { until: "x" }]),
      "Invalid param: WrongSize. At until: want a signature: 64 bytes in base58.",
    ],
    ["getSlotLeaders", "[5,5001]", "Invalid limit; max 5000"],
    ["getSlotLeaders", "[5]", "Invalid params: invalid length 1, expected a tuple of size 2."],
    ["getRecentPerformanceSamples", "[721]", "Invalid limit; max 720"],
    ["getBlocks", "[5,500006]", "Slot range too large; max 500000"],
    ["getBlocks", '[5,"6"]', `Invalid params: ${wrapper} RpcBlocksConfigWrapper. invalid type`],
    ["getBlocks", "[5,{},{}]", `Invalid params: ${wrapper} RpcBlocksConfigWrapper. invalid type`],
    ["getBlocksWithLimit", "[5,500001]", "Limit too large; max 500000"],
    // accounts
    [
      "getTokenAccountsByOwner",
      json([KEY, {}]),
      "Invalid params: invalid value: map, expected map with a single key. Want an object of one key: `mint` or `programId`.",
    ],
    [
      "getTokenAccountsByOwner",
      json([KEY, { owner: KEY }]),
      "Invalid params: unknown variant `owner`, expected `mint` or `programId`.",
    ],
    [
      "getTokenAccountsByOwner",
      json([KEY, { mint: "1" }]),
      "Invalid param: WrongSize. At mint: want an address: 32 bytes in base58.",
    ],
    [
      "getAccountInfo",
      json([KEY, { dataSlice: { length: 1 } }]),
      "Invalid params: missing field `offset`. At dataSlice.",
    ],
    [
      "getAccountInfo",
      json([KEY, { encoding: "json" }]),
      "Invalid params: unknown variant `json`, expected one of `binary`, `base58`, `base64`, `base64+zstd`, `jsonParsed`. At encoding.",
    ],
    [
      "getProgramAccounts",
      json([KEY, { filters: [...many(5, "tokenAccountState")] }]),
      "Too many filters provided; max 4. At filters.",
    ],
    [
      "getProgramAccounts",
      json([KEY, { filters: [{ dataSize: 1 }, { memcmp: { offset: 0, bytes: "0" } }] }]),
      "Invalid param: Base58DecodeError. At filters[1].memcmp.bytes: want bytes in base58.",
    ],
    [
      "getProgramAccounts",
      json([KEY, { filters: [{ memcmp: { offset: 0, bytes: "1".repeat(176) } }] }]),
      "Invalid param: DataTooLarge. At filters[0].memcmp.bytes: want at most 128 bytes.",
    ],
    [
      "getProgramAccounts",
      json([KEY, { filters: ["all"] }]),
      "Invalid params: unknown variant `all`, expected one of `dataSize`, `memcmp`, `tokenAccountState`. At filters[0].",
    ],
    // validators
    [
      "getVoteAccounts",
      json([{ votePubkey: "1" }]),
      "Invalid param: WrongSize. At votePubkey: want an address: 32 bytes in base58.",
    ],
    [
      "getLeaderSchedule",
      '["5"]',
      `Invalid params: ${wrapper} RpcLeaderScheduleConfigWrapper. invalid type`,
    ],
    [
      "getLeaderSchedule",
      json([5, { identity: 5 }]),
      "Invalid params: invalid type: integer `5`, expected a string. At identity.",
    ],
    [
      "getBlockProduction",
      json([{ range: { firstSlot: 9, lastSlot: 8 } }]),
      "lastSlot, 8, cannot be less than firstSlot, 9. At range.",
    ],
    [
      "getBlockProduction",
      json([{ range: { lastSlot: 8 } }]),
      "Invalid params: missing field `firstSlot`. At range.",
    ],
    [
      "getLargestAccounts",
      json([{ filter: "all" }]),
      "Invalid params: unknown variant `all`, expected `circulating` or `nonCirculating`. At filter.",
    ],
    [
      "getInflationReward",
      json([[KEY, "1"]]),
      "Invalid param: WrongSize. At [1]: want an address: 32 bytes in base58.",
    ],
    // simulation
    [
      "simulateTransaction",
      json(["AQ==", { sigVerify: true, replaceRecentBlockhash: true }]),
      "sigVerify may not be used with replaceRecentBlockhash",
    ],
    [
      "simulateTransaction",
      json(["AQ==", { encoding: "json" }]),
      "unsupported encoding: json. Supported encodings: base58, base64. At encoding.",
    ],
    [
      "simulateTransaction",
      json(["AQ==", { accounts: { addresses: [], encoding: "base58" } }]),
      "base58 encoding not supported. At accounts.encoding.",
    ],
  ])("%s %s", (method, params, text) => {
    expect(outcome(method, params).slice(0, text.length)).toBe(text);
  });

  test("a long text is not repeated whole", () => {
    const long = "x".repeat(10_000);
    for (const params of [[long], [1, { [long]: 1 }], [1, { encoding: long }], [1, long]]) {
      expect(outcome("getBlock", json(params)).length).toBeLessThan(500);
    }
  });
});

describe("what is sent", () => {
  test.each<[string, string, string]>([
    ["getSlot", "[]", "[]"],
    ["getSlot", "[null]", "[]"],
    ["getSlot", "[{}]", "[]"],
    ["getSlot", '[{"commitment":null}]', "[]"],
    [
      "getSlot",
      '[{"minContextSlot":7.0,"commitment":"recent"}]',
      '[{"commitment":"processed","minContextSlot":7}]',
    ],
    ["getBlockTime", "[18446744073709551615]", "[18446744073709551615]"],
    ["getBlocks", "[5]", "[5]"],
    ["getBlocks", "[5,6]", "[5,6]"],
    ["getBlocks", "[5,null]", "[5]"],
    ["getBlocks", '[5,{"commitment":"processed"}]', '[5,null,{"commitment":"confirmed"}]'],
    ["getBlocks", '[5,null,{"commitment":"single"}]', '[5,null,{"commitment":"confirmed"}]'],
    ["getBlocks", "[600000,6]", "[600000,6]"],
    [
      "getBalance",
      json([KEY, { minContextSlot: 1, commitment: "confirmed" }]),
      json([KEY, { commitment: "confirmed", minContextSlot: 1 }]),
    ],
    [
      "getAccountInfo",
      json([KEY, { minContextSlot: 1, encoding: "base64", commitment: "confirmed" }]),
      json([KEY, { commitment: "confirmed", encoding: "base64", minContextSlot: 1 }]),
    ],
    ["getTransaction", json([SIGNATURE, "base64"]), json([SIGNATURE, { encoding: "base64" }])],
    ["getTransaction", json([SIGNATURE, {}]), json([SIGNATURE])],
    [
      "getAccountInfo",
      json([KEY, { encoding: "base64", dataSlice: { offset: 1, length: 2 } }]),
      json([KEY, { dataSlice: { length: 2, offset: 1 }, encoding: "base64" }]),
    ],
    [
      "getProgramAccounts",
      json([KEY, { filters: [{ memcmp: { offset: 0, encoding: "base64", bytes: "AQ==" } }] }]),
      json([KEY, { filters: [{ memcmp: { bytes: "AQ==", encoding: "base64", offset: 0 } }] }]),
    ],
    [
      "getProgramAccounts",
      json([KEY, { filters: [{ memcmp: { offset: 0, bytes: [1, 255] } }] }]),
      json([KEY, { filters: [{ memcmp: { bytes: [1, 255], offset: 0 } }] }]),
    ],
    ["getRecentPrioritizationFees", "[]", "[]"],
    ["getRecentPerformanceSamples", "[null]", "[]"],
    ["getLeaderSchedule", "[]", "[]"],
    ["getLeaderSchedule", "[null]", "[]"],
    ["getLeaderSchedule", "[5]", "[5]"],
    ["getLeaderSchedule", '[{"commitment":"recent"}]', '[null,{"commitment":"processed"}]'],
    ["getLeaderSchedule", json([5, { identity: KEY }]), json([5, { identity: KEY }])],
    [
      "getBlockProduction",
      json([{ range: { lastSlot: 8, firstSlot: 8 }, identity: KEY }]),
      json([{ identity: KEY, range: { firstSlot: 8, lastSlot: 8 } }]),
    ],
    [
      "simulateTransaction",
      json(["AQ==", { sigVerify: false, encoding: "base64", accounts: { addresses: [KEY] } }]),
      json(["AQ==", { accounts: { addresses: [KEY] }, encoding: "base64", sigVerify: false }]),
    ],
  ])("%s %s", (method, params, sent) => {
    expect(outcome(method, params)).toBe(sent);
  });
});
