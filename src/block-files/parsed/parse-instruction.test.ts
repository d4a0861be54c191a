import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseInstruction } from "./parse-instruction.ts";
import { PROGRAMS } from "./programs.ts";

const SYSTEM = "11111111111111111111111111111111";
const TOKEN = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
const MEMO = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr";

const bytes = (hex: string): Uint8Array => Buffer.from(hex, "hex");
const accounts = (count: number) => Array.from({ length: count }, (_, at) => `account${at}`);

/** Data that starts as real instructions do, so that most of it is read past its first bytes. */
const data = fc
  .tuple(fc.nat(46), fc.nat(16), fc.boolean(), fc.uint8Array({ maxLength: 300 }))
  .map(([tag, next, wide, rest]) => Buffer.from([tag, ...(wide ? [0, 0, 0] : [next]), ...rest]));

describe("parseInstruction", () => {
  test("random bytes and accounts never throw, and give nothing or what JSON can say", () => {
    const ids = fc.constantFrom(...PROGRAMS.keys());
    const anyData = fc.oneof(data, fc.uint8Array({ maxLength: 300 }));
    fc.assert(
      fc.property(ids, fc.nat(20), anyData, (programId, count, bytes) => {
        const parsed = parseInstruction({ programId, accounts: accounts(count), data: bytes });
        if (parsed === undefined) return;
        expect(JSON.parse(JSON.stringify(parsed))).toHaveProperty("parsed");
        expect(JSON.stringify(parsed)).not.toContain("undefined");
      }),
      { numRuns: 20_000 },
    );
  });

  test("data in the middle of a larger buffer is read from its own start to its own end", () => {
    const block = bytes(`ffff02000000${"ff".repeat(8)}ffff`);
    const parsed = parseInstruction({
      programId: SYSTEM,
      accounts: accounts(2),
      data: block.subarray(2, 14),
    });
    expect(JSON.stringify(parsed?.parsed)).toContain('"lamports":18446744073709551615,');
    const short = { programId: SYSTEM, accounts: accounts(2), data: block.subarray(2, 13) };
    expect(parseInstruction(short)).toBeUndefined();
  });

  test("a u64 beyond 2^53 keeps its digits as a number, a token amount as text", () => {
    const amount = "0100000000002000";
    const lamports = parseInstruction({
      programId: SYSTEM,
      accounts: accounts(2),
      data: bytes(`02000000${amount}`),
    });
    expect(JSON.stringify(lamports)).toBe(
      '{"parsed":{"info":{"destination":"account1","lamports":9007199254740993,' +
        '"source":"account0"},"type":"transfer"},"program":"system","programId":' +
        `"${SYSTEM}"}`,
    );
    const tokens = parseInstruction({
      programId: TOKEN,
      accounts: accounts(3),
      data: bytes(`03${amount}`),
    });
    expect(tokens?.parsed).toMatchObject({ info: { amount: "9007199254740993" } });
  });

  test("a memo is its text, byte order mark and all, and nothing where it is not UTF-8", () => {
    const memo = (hex: string) =>
      parseInstruction({ programId: MEMO, accounts: [], data: bytes(hex) })?.parsed;
    expect(memo("efbbbf6d656d6f")).toBe("\ufeffmemo");
    expect(memo("")).toBe("");
    expect(memo("ff")).toBeUndefined();
  });

  test("a length that no data could have ends at once", () => {
    const programId = "AddressLookupTab1e1111111111111111111111111";
    const data = bytes(`02000000${"ff".repeat(8)}${"00".repeat(40)}`);
    const started = performance.now();
    expect(parseInstruction({ programId, accounts: accounts(4), data })).toBeUndefined();
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  test("a program that agave does not parse is left to the caller", () => {
    const programId = "ComputeBudget111111111111111111111111111111";
    expect(
      parseInstruction({ programId, accounts: [], data: bytes("02400d0300") }),
    ).toBeUndefined();
  });
});
