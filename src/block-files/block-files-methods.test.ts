import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import {
  LEDGER_GENESIS,
  type LedgerSlots,
  ledgerBlock,
  ledgerFolder,
  ledgerSignature,
  writeBlock,
  writeHead,
} from "../../test/support/ledger-folder.ts";
import { classify } from "../failures/failures.ts";
import { BlockFiles } from "./block-files.ts";
import { RpcFault } from "./block-files-fault.ts";
import { BlockFilesMethods } from "./block-files-methods.ts";

const SLOTS: LedgerSlots = { firstSlot: 20, confirmedSlot: 30, finalizedSlot: 28 };
const UNSUPPORTED =
  "Transaction version (0) is not supported by the requesting client. Please try the request " +
  'again with the following configuration parameter: "maxSupportedTransactionVersion": 0';

let now = 0;
let folder: string;
let ledger: BlockFilesMethods;

beforeEach(() => {
  const blocks = [19, 20, 21, 23, 28, 29, 30].map((slot) => [slot, ledgerBlock(slot)]);
  folder = ledgerFolder(SLOTS, {
    ...Object.fromEntries(blocks),
    25: ledgerBlock(25, ["version 0"]),
  });
  ledger = open(folder);
});

function open(directory: string): BlockFilesMethods {
  const files = new BlockFiles(directory, { now: () => now });
  return new BlockFilesMethods(files, { pause: async () => undefined });
}

const ask = async (method: string, ...params: unknown[]): Promise<unknown> =>
  JSON.parse(await ledger.call(method, JSON.stringify(params)));

async function faultOf(asked: Promise<unknown>): Promise<Record<string, unknown>> {
  try {
    await asked;
  } catch (error) {
    if (!(error instanceof RpcFault)) throw error;
    const { code, message, data } = error;
    return data === undefined ? { code, message } : { code, message, data };
  }
  throw new Error("no fault");
}

describe("slots and commitments", () => {
  test("slots and heights are those of the commitment; finalized where none is named", async () => {
    expect(await ask("getSlot")).toBe(28);
    expect(await ask("getSlot", { commitment: "confirmed" })).toBe(30);
    expect(await ask("getSlot", { commitment: "processed" })).toBe(30);
    expect(await ask("getBlockHeight")).toBe(18);
    expect(await ask("getBlockHeight", { commitment: "confirmed" })).toBe(20);
    expect(await ask("getFirstAvailableBlock")).toBe(20);
    expect(await ask("getGenesisHash")).toBe(LEDGER_GENESIS);
    expect(await ask("getHealth")).toBe("ok");
    expect(await ask("getBlockTime", 21)).toBe(1_700_000_021);
  });

  test("a block is served from the first slot to that of its commitment", async () => {
    const none = { transactionDetails: "none" };
    expect(await ask("getBlock", 28, none)).toMatchObject({ blockHeight: 18 });
    expect(await ask("getBlock", 30, { ...none, commitment: "confirmed" })).toMatchObject({
      blockHeight: 20,
    });
    const refused = (slot: unknown, config = {}) =>
      faultOf(ask("getBlock", slot, { ...none, ...config }));
    expect(await refused(29)).toEqual({
      code: -32004,
      message: "Block not available for slot 29",
    });
    expect(await refused(31, { commitment: "confirmed" })).toMatchObject({ code: -32004 });
    expect(await refused(19)).toEqual({
      code: -32001,
      message: "Block 19 cleaned up, does not exist on node. First available block: 20",
    });
    expect(await refused(22)).toEqual({
      code: -32007,
      message: "Slot 22 was skipped, or missing due to ledger jump to recent snapshot",
    });
    const processed = await refused(20, { commitment: "processed" });
    expect(processed).toEqual({
      code: -32602,
      message: "Method does not support commitment below `confirmed`",
    });
    expect(await faultOf(ask("getBlockTime", 22))).toMatchObject({ code: -32007 });
    expect(await faultOf(ask("getBlockTime", 31))).toMatchObject({ code: -32004 });
  });

  test("blocks are listed without skipped slots, as far as the commitment goes", async () => {
    expect(await ask("getBlocks", 20)).toEqual([20, 21, 23, 25, 28]);
    expect(await ask("getBlocks", 0, 22)).toEqual([20, 21]);
    expect(await ask("getBlocks", 21, null, { commitment: "confirmed" })).toEqual([
      21, 23, 25, 28, 29, 30,
    ]);
    expect(await ask("getBlocks", 28, { commitment: "confirmed" })).toEqual([28, 29, 30]);
    expect(await ask("getBlocks", 29)).toEqual([]);
    expect(await ask("getBlocksWithLimit", 21, 2)).toEqual([21, 23]);
    expect(await ask("getBlocksWithLimit", 28, 5, { commitment: "confirmed" })).toEqual([
      28, 29, 30,
    ]);
    const message = "Limit too large; max 500000";
    expect(await faultOf(ask("getBlocksWithLimit", 1, 500_001))).toEqual({ code: -32602, message });
    const processed = { commitment: "processed" };
    expect(await faultOf(ask("getBlocks", 1, 2, processed))).toMatchObject({ code: -32602 });
  });

  test("a range of more than 500,000 slots is refused", async () => {
    writeHead(folder, { firstSlot: 0, confirmedSlot: 600_000, finalizedSlot: 600_000 });
    const message = "Slot range too large; max 500000";
    expect(await faultOf(ask("getBlocks", 0, 500_001))).toEqual({ code: -32602, message });
    expect(await ask("getBlocks", 29, 500_029)).toEqual([29, 30]);
  });

  test("a context slot that is not reached is -32016 with the slot that is", async () => {
    for (const method of ["getSlot", "getBlockHeight"]) {
      expect(await faultOf(ask(method, { minContextSlot: 29 }))).toEqual({
        code: -32016,
        message: "Minimum context slot has not been reached",
        data: { contextSlot: 28 },
      });
      const config = { minContextSlot: 29, commitment: "confirmed" };
      expect(await ask(method, config)).toEqual(expect.any(Number));
    }
    expect(await faultOf(ask("getBlocks", 20, null, { minContextSlot: 99 }))).toMatchObject({
      code: -32016,
    });
  });

  test("what ledger.json says and which blocks are there is seen again after a second", async () => {
    expect(await ask("getBlocks", 20)).toHaveLength(5);
    writeHead(folder, { ...SLOTS, finalizedSlot: 30 });
    writeBlock(folder, 22, ledgerBlock(22));
    utimesSync(join(folder, "blocks"), 1, 1);
    expect(await ask("getSlot")).toBe(28);
    now += 1000;
    expect(await ask("getSlot")).toBe(30);
    expect(await ask("getBlocks", 20)).toEqual([20, 21, 22, 23, 25, 28, 29, 30]);
  });
});

describe("versions", () => {
  test("a version 0 transaction takes a client that can read it", async () => {
    for (const transactionDetails of ["full", "accounts"]) {
      const config = { transactionDetails, rewards: false };
      expect(await faultOf(ask("getBlock", 25, config))).toEqual({
        code: -32015,
        message: UNSUPPORTED,
      });
      const able = { ...config, maxSupportedTransactionVersion: 0 };
      expect(await ask("getBlock", 25, able)).toHaveProperty("transactions.0.version", 0);
    }
    for (const transactionDetails of ["signatures", "none"]) {
      expect(await ask("getBlock", 25, { transactionDetails })).toHaveProperty("blockTime");
    }
  });

  test("a later version passes in binary forms alone, where the client can read it", async () => {
    const block = ledgerBlock(26, ["version 0"]);
    for (const each of block.transactions) {
      const bytes = Buffer.from(each.transaction[0], "base64");
      bytes[65] = 0x82;
      each.transaction = [bytes.toString("base64"), "base64"];
    }
    writeBlock(folder, 26, block);
    const form = (encoding: string, maxSupportedTransactionVersion: number) =>
      ask("getBlock", 26, { encoding, maxSupportedTransactionVersion });
    expect(await faultOf(form("base64", 1))).toMatchObject({
      code: -32015,
      message: expect.stringContaining("version (2)"),
    });
    expect(await form("base64", 2)).toHaveProperty("transactions.0.version", 2);
    expect(await faultOf(form("json", 2))).toEqual({
      code: -32000,
      message: "block 26: transaction 0: transactions of version 2 are not known",
    });
  });

  test("without its meta a transaction has neither that nor a version", async () => {
    const block = ledgerBlock(26);
    writeBlock(folder, 26, {
      ...block,
      transactions: block.transactions.map((each) => ({ ...each, meta: null })),
    });
    for (const transactionDetails of ["full", "accounts"]) {
      const config = { transactionDetails, maxSupportedTransactionVersion: 0 };
      const [transaction] = ((await ask("getBlock", 26, config)) as typeof block).transactions;
      expect(Object.keys(transaction ?? {})).toEqual(["meta", "transaction"]);
      expect(transaction?.meta).toBeNull();
    }
  });
});

describe("transactions by signature", () => {
  const legacy = ledgerSignature(21, 0);
  const versioned = ledgerSignature(25, 0);
  const confirmed = ledgerSignature(30, 0);

  test("a transaction comes with its slot and time, in any encoding", async () => {
    expect(await ask("getTransaction", legacy, "base64")).toEqual({
      blockTime: 1_700_000_021,
      ...{ ...ledgerBlock(21).transactions[0], version: undefined },
      slot: 21,
    });
    const able = { encoding: "jsonParsed", maxSupportedTransactionVersion: 0 };
    const parsed = (await ask("getTransaction", versioned, able)) as Record<string, unknown>;
    expect(Object.keys(parsed)).toEqual(["blockTime", "meta", "slot", "transaction", "version"]);
    expect(parsed).toHaveProperty("transaction.message.accountKeys.2.source", "lookupTable");
    expect(await faultOf(ask("getTransaction", versioned))).toMatchObject({ code: -32015 });
  });

  test("what no block of the commitment has is null", async () => {
    expect(await ask("getTransaction", ledgerSignature(99, 0))).toBeNull();
    expect(await ask("getTransaction", confirmed)).toBeNull();
    expect(await ask("getTransaction", confirmed, { commitment: "confirmed" })).toMatchObject({
      slot: 30,
    });
    // Block 19 is there, but the ledger says that it begins at 20.
    expect(await ask("getTransaction", ledgerSignature(19, 0))).toBeNull();
  });

  test("the statuses of signatures stand in the order that was asked for", async () => {
    const failed = ledgerBlock(24);
    const err = { InstructionError: [0, { Custom: 1 }] };
    for (const { meta } of failed.transactions) Object.assign(meta, { err, status: { Err: err } });
    writeBlock(folder, 24, failed);
    const asked = [confirmed, ledgerSignature(99, 1), ledgerSignature(24, 0), legacy];
    const done = { confirmations: null, confirmationStatus: "finalized" };
    expect(await ask("getSignatureStatuses", asked)).toEqual({
      context: { slot: 30 },
      value: [
        {
          confirmationStatus: "confirmed",
          confirmations: 0,
          err: null,
          slot: 30,
          status: { Ok: null },
        },
        null,
        { ...done, err, slot: 24, status: { Err: err } },
        { ...done, err: null, slot: 21, status: { Ok: null } },
      ],
    });
  });

  test("a transaction of a new block is found", async () => {
    expect(await ask("getTransaction", ledgerSignature(27, 0))).toBeNull();
    writeBlock(folder, 27, ledgerBlock(27));
    utimesSync(join(folder, "blocks"), 1, 1);
    now += 1000;
    expect(await ask("getTransaction", ledgerSignature(27, 0))).toMatchObject({ slot: 27 });
  });

  test("what may stand in a damaged block is not said to be nowhere", async () => {
    writeBlock(folder, 20, "{");
    expect(await ask("getTransaction", legacy)).toMatchObject({ slot: 21 });
    expect(await faultOf(ask("getTransaction", ledgerSignature(99, 0)))).toEqual({
      code: -32000,
      message: "block 20: it is no JSON",
    });
    writeBlock(folder, 20, ledgerBlock(20));
    expect(await ask("getTransaction", ledgerSignature(99, 0))).toBeNull();
    expect(await ask("getTransaction", ledgerSignature(20, 0))).toMatchObject({ slot: 20 });
  });

  test.each([
    [["0OIl"], "Invalid param: Invalid"],
    [["111"], "Invalid param: WrongSize"],
    [[7], "Invalid params: invalid type, expected a string."],
    [[], "`params` should have at least 1 argument(s)"],
  ])("a signature that is none is -32602: %j", async (params, message) => {
    expect(await faultOf(ask("getTransaction", ...params))).toEqual({ code: -32602, message });
  });

  test("more than 256 signatures are refused", async () => {
    const message = "Too many inputs provided; max 256";
    const many = Array.from({ length: 257 }, () => legacy);
    expect(await faultOf(ask("getSignatureStatuses", many))).toEqual({ code: -32602, message });
  });
});

describe("what is wrong with the files", () => {
  const damage = (
    change: (transaction: ReturnType<typeof ledgerBlock>["transactions"][number]) => void,
    kind: "legacy" | "version 0" = "legacy",
  ) => {
    const block = ledgerBlock(21, ["legacy", kind]);
    for (const each of block.transactions.slice(1)) change(each);
    return JSON.stringify(block);
  };
  const cases: readonly (readonly [string, string, string])[] = [
    ["empty", "", "it is no JSON"],
    ["cut short", JSON.stringify(ledgerBlock(21)).slice(0, -5), "it is no JSON"],
    ["null", "null", "it is no JSON object"],
    ["a list", "[]", "it is no JSON object"],
    ["without a hash", '{"blockHeight":1,"blockTime":1}', "its blockhash is not what it should be"],
    [
      "without transactions",
      JSON.stringify({ ...ledgerBlock(21), transactions: undefined }),
      "its transactions is not what it should be",
    ],
    [
      "bad base64",
      damage((each) => Object.assign(each, { transaction: ["A*A=", "base64"] })),
      "transaction 1: it is no base64",
    ],
    [
      "another encoding",
      damage((each) => Object.assign(each, { transaction: ["11", "base58"] })),
      "transaction 1: it is not in the base64 encoding",
    ],
    [
      "an absurd length",
      damage((each) => Object.assign(each, { transaction: ["AAEAAP//Aw==", "base64"] })),
      "transaction 1: 65535 account keys where 0 bytes are left",
    ],
    [
      "no meta",
      damage((each) => Object.assign(each, { meta: 3 })),
      "transaction 1: its meta is no object",
    ],
    [
      "loaded addresses that are none",
      damage((each) => Object.assign(each.meta, { loadedAddresses: [] }), "version 0"),
      "transaction 1: its meta.loadedAddresses are none",
    ],
    [
      "too few loaded addresses",
      damage((each) => Object.assign(each.meta, { loadedAddresses: null }), "version 0"),
      "transaction 1: its meta.loadedAddresses do not fit its addressTableLookups",
    ],
    [
      "inner instructions that are none",
      damage((each) => Object.assign(each.meta, { innerInstructions: [7] })),
      "transaction 1: its meta.innerInstructions are none",
    ],
    [
      "an inner instruction of an account that is not there",
      damage((each) =>
        Object.assign(each.meta, {
          innerInstructions: [
            { index: 0, instructions: [{ accounts: [9], data: "", programIdIndex: 1 }] },
          ],
        }),
      ),
      "transaction 1: an instruction names account 9 of 2",
    ],
  ];

  test.each(cases)("a block's file: %s", async (_name, text, reason) => {
    writeBlock(folder, 21, text);
    const config = { encoding: "jsonParsed", maxSupportedTransactionVersion: 0 };
    const fault = await faultOf(ask("getBlock", 21, config));
    expect(fault).toEqual({ code: -32000, message: `block 21: ${reason}` });
    expect(await ask("getBlock", 20)).toMatchObject({ blockHeight: 10 });
  });

  test("a damaged block does not count against the health of all others", async () => {
    writeBlock(folder, 21, "");
    const error = await faultOf(ask("getBlock", 21));
    expect(classify({ status: 200, error }).class).toBe("unknown");
  });

  test("a file that cannot be read is named without its path", async () => {
    rmSync(join(folder, "blocks", "21.json"));
    mkdirSync(join(folder, "blocks", "21.json"));
    expect(await faultOf(ask("getBlock", 21))).toEqual({
      code: -32000,
      message: "block 21: it cannot be read (EISDIR)",
    });
    writeFileSync(join(folder, "ledger.json"), "{}");
    now += 1000;
    expect(await faultOf(ask("getHealth"))).toEqual({
      code: -32603,
      message: "ledger.json: its format is not 1",
    });
    rmSync(join(folder, "ledger.json"));
    for (const method of ["getHealth", "getSlot", "getBlockHeight", "getGenesisHash"]) {
      expect(await faultOf(ask(method))).toEqual({
        code: -32603,
        message: "ledger.json: it cannot be read (ENOENT)",
      });
    }
    writeHead(folder, SLOTS);
    expect(await ask("getHealth")).toBe("ok");
  });

  test.each([
    ["", "it is no JSON"],
    ["[]", "it is no JSON object"],
    ['{"format":2}', "its format is not 1"],
    ['{"format":1}', "its genesisHash is no text"],
    ['{"format":1,"genesisHash":"x","firstSlot":"1"}', "its firstSlot is no slot"],
    [
      '{"format":1,"genesisHash":"x","firstSlot":0,"confirmedSlot":-1}',
      "its confirmedSlot is no slot",
    ],
    [
      '{"format":1,"genesisHash":"x","firstSlot":0,"confirmedSlot":1,"finalizedSlot":18446744073709551615}',
      "its finalizedSlot is no slot",
    ],
    [
      '{"format":1,"genesisHash":"x","firstSlot":0,"confirmedSlot":1,"finalizedSlot":2}',
      "its finalizedSlot is above its confirmedSlot",
    ],
  ])("ledger.json: %s", async (text, reason) => {
    writeFileSync(join(folder, "ledger.json"), text);
    expect(await faultOf(ask("getSlot"))).toEqual({
      code: -32603,
      message: `ledger.json: ${reason}`,
    });
  });
});

describe("whatever the files hold and whoever asks", () => {
  const FORMS = [
    ...["json", "jsonParsed", "base58", "base64", "binary"].map((encoding) => ({ encoding })),
    { transactionDetails: "accounts" },
    { transactionDetails: "signatures" },
    { transactionDetails: "none" },
  ].map((form) => ({ ...form, maxSupportedTransactionVersion: 0 }));

  async function isAnswered(method: string, params: string): Promise<void> {
    try {
      JSON.parse(await ledger.call(method, params));
    } catch (error) {
      expect(error).toBeInstanceOf(RpcFault);
      expect((error as RpcFault).message).not.toContain(folder);
    }
  }

  test("a block whose bytes were changed is a block or a fault", async () => {
    const whole = Buffer.from(JSON.stringify(ledgerBlock(21, ["legacy", "version 0"])));
    const change = fc.record({ at: fc.nat({ max: whole.length - 1 }), to: fc.nat({ max: 255 }) });
    const changes = fc.array(change, { minLength: 1, maxLength: 6 });
    const form = fc.constantFrom(...FORMS);
    const cut = fc.option(fc.nat({ max: whole.length }));
    await fc.assert(
      fc.asyncProperty(changes, form, cut, async (all, config, length) => {
        const bytes = Buffer.from(whole);
        for (const { at, to } of all) bytes[at] = to;
        writeFileSync(join(folder, "blocks", "21.json"), bytes.subarray(0, length ?? undefined));
        await isAnswered("getBlock", JSON.stringify([21, config]));
      }),
      { numRuns: 500 },
    );
  });

  test("a block of any JSON is a block or a fault, and any ledger.json is read or refused", async () => {
    const transaction = fc.record({
      meta: fc.oneof(fc.jsonValue(), fc.record({ innerInstructions: fc.jsonValue() })),
      transaction: fc.oneof(fc.jsonValue(), fc.tuple(fc.base64String(), fc.constant("base64"))),
    });
    const block = fc.record({
      blockHeight: fc.jsonValue(),
      blockTime: fc.jsonValue(),
      blockhash: fc.jsonValue(),
      parentSlot: fc.jsonValue(),
      previousBlockhash: fc.jsonValue(),
      rewards: fc.jsonValue(),
      transactions: fc.oneof(fc.jsonValue(), fc.array(transaction, { maxLength: 3 })),
    });
    const form = fc.constantFrom(...FORMS);
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.jsonValue(), block), form, async (json, config) => {
        writeBlock(folder, 21, JSON.stringify(json));
        await isAnswered("getBlock", JSON.stringify([21, config]));
        await isAnswered("getTransaction", JSON.stringify([ledgerSignature(99, 0)]));
        writeFileSync(join(folder, "ledger.json"), JSON.stringify(json));
        now += 1000;
        await isAnswered("getSlot", "[]");
        writeHead(folder, SLOTS);
        now += 1000;
      }),
      { numRuns: 500 },
    );
  });

  test("a file that is nested too deeply is a fault", async () => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    const block = JSON.stringify({ ...ledgerBlock(21), rewards: "DEEP" });
    writeBlock(folder, 21, block.replace('"DEEP"', deep));
    const fault = await faultOf(ask("getBlock", 21));
    expect(fault["code"]).toBe(-32000);
  });

  test("any params are answered or refused", async () => {
    const method = fc.constantFrom(
      ...["getBlock", "getBlocks", "getBlocksWithLimit", "getBlockTime", "getBlockHeight"],
      ...["getSlot", "getTransaction", "getSignatureStatuses", "getHealth", "eth_call"],
    );
    const config = fc.record(
      {
        commitment: fc.jsonValue(),
        encoding: fc.oneof(fc.jsonValue(), fc.constantFrom("json", "jsonParsed")),
        maxSupportedTransactionVersion: fc.oneof(fc.jsonValue(), fc.nat({ max: 300 })),
        minContextSlot: fc.oneof(fc.jsonValue(), fc.nat({ max: 40 })),
        rewards: fc.oneof(fc.jsonValue(), fc.boolean()),
        transactionDetails: fc.oneof(fc.jsonValue(), fc.constantFrom("full", "accounts")),
      },
      { requiredKeys: [] },
    );
    const param = fc.oneof(fc.jsonValue(), fc.nat({ max: 40 }), config);
    await fc.assert(
      fc.asyncProperty(method, fc.array(param, { maxLength: 4 }), (name, params) =>
        isAnswered(name, JSON.stringify(params)),
      ),
      { numRuns: 1500 },
    );
    await isAnswered("getSlot", "");
    await isAnswered("getSlot", "{}");
    expect(await faultOf(ledger.call("getSlot", "null"))).toEqual({
      code: -32602,
      message: "`params` should be an array",
    });
    expect(await faultOf(ask("sendTransaction"))).toEqual({
      code: -32601,
      message: "Method not found",
    });
  });
});
