import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeRevertReason, isRevertPayloadAsResult, readRevertText } from "./revert-reason.ts";

const word = (value: number | bigint): string => value.toString(16).padStart(64, "0");
const errorPayload = (bytes: Uint8Array): string => {
  const hex = Buffer.from(bytes).toString("hex");
  const padded = hex.padEnd(Math.ceil(hex.length / 64) * 64, "0");
  return `0x08c379a0${word(32)}${word(bytes.length)}${padded}`;
};
const utf8 = (text: string): Uint8Array => Buffer.from(text, "utf8");
const panicPayload = (code: number | bigint): string => `0x4e487b71${word(code)}`;

describe("decodeRevertReason", () => {
  test("any text that a contract encodes comes back, padded or not", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const payload = errorPayload(utf8(text));
        expect(decodeRevertReason(payload)).toBe(text);
        const unpadded = payload.slice(0, 10 + 128 + utf8(text).length * 2);
        expect(decodeRevertReason(unpadded)).toBe(text);
      }),
    );
  });

  test('Error("") has the reason "", which is not none', () => {
    expect(decodeRevertReason(errorPayload(utf8("")))).toBe("");
  });

  test("invalid UTF-8 is replaced", () => {
    expect(decodeRevertReason(errorPayload(Uint8Array.of(0x61, 0xff, 0xfe, 0x62)))).toBe(
      "a\ufffd\ufffdb",
    );
  });

  test.each([
    [0x00, "generic panic"],
    [0x01, "assert(false)"],
    [0x11, "arithmetic underflow or overflow"],
    [0x12, "division or modulo by zero"],
    [0x21, "enum overflow"],
    [0x22, "invalid encoded storage byte array accessed"],
    [0x31, "out-of-bounds array access; popping on an empty array"],
    [0x32, "out-of-bounds access of an array or bytesN"],
    [0x41, "out of memory"],
    [0x51, "uninitialized function"],
    [0x2a, "unknown panic code: 0x2a"],
    [(1n << 64n) + 1n, "unknown panic code: 0x10000000000000001"],
  ])("Panic(%s) is %s", (code, text) => {
    expect(decodeRevertReason(panicPayload(code))).toBe(text);
  });

  test.each([
    ["no payload", "0x"],
    ["three bytes", "0x010203"],
    ["a custom error", `0x1d65a307${word(42)}`],
    ["a bare selector", "0x08c379a0"],
    ["a bare Panic selector", "0x4e487b71"],
    ["a length beyond the payload", `0x08c379a0${word(32)}${word(1000)}61`],
    ["an offset beyond the payload", `0x08c379a0${word(4096)}${word(1)}`],
    ["an offset beyond 2^53", `0x08c379a0${"f".repeat(64)}${word(1)}`],
  ])("%s has no reason", (_name, payload) => {
    expect(decodeRevertReason(payload)).toBeNull();
  });

  test("no bytes make it throw", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("08c379a0", "4e487b71", ""),
        fc.uint8Array({ maxLength: 200 }),
        (selector, bytes) => {
          decodeRevertReason(`0x${selector}${Buffer.from(bytes).toString("hex")}`);
        },
      ),
    );
  });
});

describe("isRevertPayloadAsResult", () => {
  const payload = errorPayload(utf8("contract reverted as requested"));

  test("an exactly encoded reason or panic given as a result is a revert's payload", () => {
    expect(isRevertPayloadAsResult(JSON.stringify(payload))).toBe(payload);
    expect(isRevertPayloadAsResult(Buffer.from(JSON.stringify(payload)))).toBe(payload);
    expect(isRevertPayloadAsResult(JSON.stringify(panicPayload(0x11)))).toBe(panicPayload(0x11));
  });

  test.each([
    ["an empty return", "0x"],
    ["a word", `0x${word(1)}`],
    ["a word that begins with the selector", `0x08c379a0${"0".repeat(56)}`],
    ["a string returned as such", `0x${word(32)}${word(2)}${"6161".padEnd(64, "0")}`],
    ["a payload without its padding", payload.slice(0, -4)],
    ["a payload with a word behind it", `${payload}${word(0)}`],
    ["padding that is not zero", `${payload.slice(0, -2)}01`],
    ["another offset", `0x08c379a0${word(64)}${word(0)}${word(0)}`],
    ["a panic of many bytes", panicPayload(1n << 200n)],
  ])("%s stays a result", (_name, result) => {
    expect(isRevertPayloadAsResult(JSON.stringify(result))).toBeNull();
  });

  test("results that are no strings stay results", () => {
    for (const json of ["null", "{}", '["0x08c379a0"]', '"0x08c379a0', "12"]) {
      expect(isRevertPayloadAsResult(json)).toBeNull();
    }
  });
});

describe("readRevertText", () => {
  test.each([
    ["execution reverted: Dai/insufficient-balance", "Dai/insufficient-balance"],
    ["execution reverted: ", ""],
    ["Execution Reverted", null],
    ["execution reverted: a\nb", "a\nb"],
    ["VM Exception while processing transaction: revert nope\0\0", "nope"],
    ["VM Exception while processing transaction: reverted with reason string 'it's'", "it's"],
    [
      "VM Exception while processing transaction: reverted with panic code 0x11 (Arithmetic)",
      "arithmetic underflow or overflow",
    ],
    ["Transaction reverted without a reason string", null],
    ["REVERT opcode executed", null],
    ["message execution failed (exit=[33], revert reason=[none], vm error=[x])", null],
    [
      "message execution failed (exit=[33], revert reason=[Error(a)], vm error=)], vm error=[x])",
      "a)], vm error=",
    ],
    ["revert", null],
  ])("%j gives the node's own reason", (message, reason) => {
    expect(readRevertText(message, undefined)).toEqual({ reason, payload: "0x" });
  });

  test("a payload that a node wrote into its text is the payload", () => {
    const text = `VM Exception while processing transaction: reverted with an unrecognized custom error (return data: 0x010203)`;
    expect(readRevertText(text, undefined)).toEqual({ reason: null, payload: "0x010203" });
  });

  test.each(["rate limit", "reverting", "VM execution error.", "not execution reverted", ""])(
    "%j speaks of no revert",
    (message) => {
      expect(readRevertText(message, "Bad instruction fe")).toBeUndefined();
    },
  );
});
