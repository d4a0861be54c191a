import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  encodeTransaction,
  type Message,
  readTransaction,
  type Transaction,
  versionOf,
  writeTransaction,
} from "./wire.ts";
import { WireFault } from "./wire-bytes.ts";

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const byte = fc.nat({ max: 255 });
const indexes = fc.uint8Array({ maxLength: 20 });
const message: fc.Arbitrary<Message> = fc
  .record({
    version: fc.constantFrom("legacy" as const, 0 as const),
    header: fc.record({
      numRequiredSignatures: fc.nat({ max: 127 }),
      numReadonlySignedAccounts: byte,
      numReadonlyUnsignedAccounts: byte,
    }),
    accountKeys: fc.array(bytes(32), { maxLength: 10 }),
    recentBlockhash: bytes(32),
    instructions: fc.array(
      fc.record({
        programIdIndex: byte,
        accounts: indexes,
        data: fc.oneof(indexes, fc.uint8Array({ minLength: 120, maxLength: 300 })),
      }),
      { maxLength: 5 },
    ),
    addressTableLookups: fc.array(
      fc.record({ accountKey: bytes(32), writableIndexes: indexes, readonlyIndexes: indexes }),
      { maxLength: 3 },
    ),
  })
  .map((each) => (each.version === 0 ? each : { ...each, addressTableLookups: [] }));
const transaction: fc.Arbitrary<Transaction> = fc.record({
  signatures: fc.array(bytes(64), { maxLength: 12 }),
  message,
});

const HEADER = {
  numRequiredSignatures: 1,
  numReadonlySignedAccounts: 0,
  numReadonlyUnsignedAccounts: 0,
};
const EMPTY: Message = {
  version: "legacy",
  header: HEADER,
  accountKeys: [],
  recentBlockhash: new Uint8Array(32),
  instructions: [],
  addressTableLookups: [],
};
const ZERO_KEY = "1".repeat(32);
const JSON_FORM = {
  signatures: ["1".repeat(64)],
  message: {
    accountKeys: [ZERO_KEY],
    header: HEADER,
    instructions: [],
    recentBlockhash: ZERO_KEY,
  },
};

/** With plain arrays, so that they compare by their content alone. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_key, each) => (each instanceof Uint8Array ? [...each] : each)),
  );

const faultOf = (bytes: Uint8Array): WireFault | undefined => {
  try {
    readTransaction(bytes);
    return undefined;
  } catch (error) {
    if (error instanceof WireFault) return error;
    throw error;
  }
};

describe("the wire form of transactions", () => {
  test("what is written is read as it was", () => {
    fc.assert(
      fc.property(transaction, (each) => {
        const read = readTransaction(writeTransaction(each));
        expect(plain(read)).toEqual(plain(each));
        expect(versionOf(writeTransaction(each))).toBe(each.message.version);
      }),
    );
  });

  test("any bytes are a transaction in its only form, or a fault that says why", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (each) => {
        const fault = faultOf(each);
        if (fault === undefined) expect(writeTransaction(readTransaction(each))).toEqual(each);
        else expect(fault.message).toMatch(/^[\w ',.-]+$/);
      }),
      { numRuns: 2000 },
    );
  });

  test("a transaction that was changed in places is another one, or a fault", () => {
    const change = fc.record({ at: fc.nat(), to: byte });
    fc.assert(
      fc.property(transaction, fc.array(change, { minLength: 1, maxLength: 4 }), (each, all) => {
        const written = writeTransaction(each);
        for (const { at, to } of all) written[at % written.length] = to;
        if (faultOf(written) !== undefined) return;
        expect(writeTransaction(readTransaction(written))).toEqual(written);
      }),
      { numRuns: 1000 },
    );
  });

  test("a transaction cut short anywhere is a fault, and so is one with bytes after it", () => {
    fc.assert(
      fc.property(transaction, fc.nat(), (each, cut) => {
        const written = writeTransaction(each);
        expect(faultOf(written.subarray(0, cut % written.length))).toBeDefined();
        const longer = Uint8Array.from([...written, 0]);
        expect(faultOf(longer)?.message).toBe("1 bytes follow its end");
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ["padded", [0x80, 0x00]],
    ["padded twice", [0x80, 0x80, 0x00]],
    ["beyond 16 bits", [0x80, 0x80, 0x04]],
  ])("a length that is %s is refused, as a node refuses it", (_name, length) => {
    const empty = writeTransaction({ signatures: [], message: EMPTY });
    const padded = Uint8Array.from([0, 1, 0, 0, ...length, ...empty.subarray(5)]);
    expect(faultOf(padded)?.message).toBe("the length of account keys is not canonical");
  });

  test("an absurd length costs nothing", () => {
    expect(faultOf(Uint8Array.from([0, 1, 0, 0, 0xff, 0xff, 0x03]))?.message).toBe(
      "65535 account keys where 0 bytes are left",
    );
    expect(faultOf(Uint8Array.from([0, 1, 0, 0, 0xff, 0xff, 0x7f]))?.message).toBe(
      "the length of account keys is not canonical",
    );
  });

  test("a later version is told by its number, wherever it stands", () => {
    const written = writeTransaction({ signatures: [], message: { ...EMPTY, version: 0 } });
    written[1] = 0x83;
    expect(versionOf(written)).toBe(3);
    expect(faultOf(written)?.message).toBe("transactions of version 3 are not known");
    expect(versionOf(Uint8Array.of(0x81, 1, 2))).toBe(1);
    expect(faultOf(Uint8Array.of(0x80, 1, 2))).toBeDefined();
    expect(() => versionOf(new Uint8Array())).toThrow(WireFault);
  });

  test("what cannot be written is a fault", () => {
    const write = (part: Partial<Message>) => () =>
      writeTransaction({ signatures: [], message: { ...EMPTY, ...part } });
    expect(write({ recentBlockhash: new Uint8Array(31) })).toThrow(
      "31 bytes stand where 32 belong",
    );
    const many = Array.from({ length: 65_536 }, () => new Uint8Array(32));
    expect(write({ accountKeys: many })).toThrow("a list of 65536 is too long");
    expect(write({ header: { ...EMPTY.header, numRequiredSignatures: 128 } })).toThrow(WireFault);
  });

  test.each([
    undefined,
    null,
    {},
    { signatures: [], message: {} },
    { signatures: ["0OIl"], message: { header: HEADER } },
    { ...JSON_FORM, message: { ...JSON_FORM.message, accountKeys: ["1"] } },
    {
      ...JSON_FORM,
      message: {
        ...JSON_FORM.message,
        instructions: [{ programIdIndex: 256, accounts: [], data: "" }],
      },
    },
    {
      ...JSON_FORM,
      message: {
        ...JSON_FORM.message,
        instructions: [{ programIdIndex: 1, accounts: [1.5], data: "" }],
      },
    },
  ])("json that is no transaction is a fault (%#)", (json) => {
    expect(() => encodeTransaction(json)).toThrow(WireFault);
  });

  test("lookups, even none of them, make a json transaction one of version 0", () => {
    const { signatures, message: legacy } = JSON_FORM;
    const lookups = { addressTableLookups: [] };
    expect(versionOf(encodeTransaction({ signatures, message: legacy }))).toBe("legacy");
    const none = { signatures, message: { ...legacy, addressTableLookups: null } };
    expect(versionOf(encodeTransaction(none))).toBe("legacy");
    expect(versionOf(encodeTransaction({ signatures, message: { ...legacy, ...lookups } }))).toBe(
      0,
    );
  });
});
