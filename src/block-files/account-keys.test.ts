import { describe, expect, test } from "vitest";
import { AccountKeys } from "./account-keys.ts";
import { decodeBase58, encodeKey } from "./base58.ts";
import type { Message } from "./wire.ts";

const key = (seed: number): Uint8Array => new Uint8Array(32).fill(seed);
const LOADER = "BPFLoaderUpgradeab1e11111111111111111111111";
const CLOCK = "SysvarC1ock11111111111111111111111111111111";
const EMPTY = new Uint8Array();

/** Two writable signers, a readonly one; two writable accounts, a readonly one. */
function message(change: Partial<Message> = {}): Message {
  return {
    version: "legacy",
    header: {
      numRequiredSignatures: 3,
      numReadonlySignedAccounts: 1,
      numReadonlyUnsignedAccounts: 1,
    },
    accountKeys: [1, 2, 3, 4, 5, 6].map(key),
    recentBlockhash: key(9),
    instructions: [],
    addressTableLookups: [],
    ...change,
  };
}

const NONE = { writable: [], readonly: [] };
const flags = (keys: AccountKeys): string[] =>
  keys.entries().map(({ signer, writable }) => `${signer ? "s" : "-"}${writable ? "w" : "-"}`);

describe("the accounts of a transaction", () => {
  test("the header says who signs and what is written", () => {
    const keys = new AccountKeys(message(), NONE);
    expect(flags(keys)).toEqual(["sw", "sw", "s-", "-w", "-w", "--"]);
    expect(keys.at(3)).toBe(encodeKey(key(4)));
    expect(() => keys.at(6)).toThrow("an instruction names account 6 of 6");
  });

  test("a program that is called is not written, unless the upgradeable loader is there", () => {
    const instructions = [{ programIdIndex: 3, accounts: EMPTY, data: EMPTY }];
    expect(flags(new AccountKeys(message({ instructions }), NONE))[3]).toBe("--");
    const accountKeys = [...[1, 2, 3, 4, 5].map(key), decodeBase58(LOADER)];
    const upgrade = new AccountKeys(message({ instructions, accountKeys }), NONE);
    expect(flags(upgrade)[3]).toBe("-w");
  });

  test("what the protocol reserves is never written", () => {
    const accountKeys = [...[1, 2, 3, 4].map(key), decodeBase58(CLOCK), key(6)];
    expect(flags(new AccountKeys(message({ accountKeys }), NONE))[4]).toBe("--");
  });

  test("addresses from lookup tables come last, writable ones first, and none of them signs", () => {
    const lookup = { accountKey: key(8), writableIndexes: Uint8Array.of(1, 2) };
    const addressTableLookups = [{ ...lookup, readonlyIndexes: Uint8Array.of(7) }];
    const versioned = message({ version: 0, addressTableLookups });
    const writable = [encodeKey(key(20)), CLOCK];
    const keys = new AccountKeys(versioned, { writable, readonly: [encodeKey(key(21))] });
    expect(flags(keys).slice(6)).toEqual(["-w", "--", "--"]);
    expect(keys.entries()[5]?.source).toBe("transaction");
    expect(keys.entries()[6]).toEqual({
      pubkey: encodeKey(key(20)),
      signer: false,
      source: "lookupTable",
      writable: true,
    });
    expect(() => new AccountKeys(versioned, NONE)).toThrow("do not fit");
  });

  test("a header that counts more accounts than there are harms nothing", () => {
    const header = {
      numRequiredSignatures: 255,
      numReadonlySignedAccounts: 255,
      numReadonlyUnsignedAccounts: 255,
    };
    expect(flags(new AccountKeys(message({ header }), NONE))).toEqual(Array(6).fill("s-"));
  });
});
