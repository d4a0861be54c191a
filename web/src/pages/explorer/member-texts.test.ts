import { expect, test } from "vitest";
import type { MethodParam } from "../../../../src/console/contract/session.ts";
import { labelOf, readMembers, writeMembers } from "./member-texts.ts";

const member = (name: string, want: string, over: object = {}) => ({
  ...{ name, want, role: null, choices: null, ...over },
});
const call: MethodParam = {
  ...{ name: "call", required: true, want: "an object", role: "call", fallback: null },
  members: [
    member("to", "an address"),
    member("value", 'an amount in wei as a quantity, such as "0x0"'),
    member("fromBlock", "a block", { role: "block" }),
    member("topics", "an array of topics"),
    member("rewards", "true to see them"),
    member("version", "an integer such as 0"),
  ],
};

test("what is entered member by member is the object that it says, in one order", () => {
  const texts = { version: "0", rewards: "true", topics: "[null]", fromBlock: "16", value: "255" };
  const { text, faults } = writeMembers(call, { ...texts, to: "0xab" });
  expect(faults).toEqual({});
  expect(text).toBe(
    JSON.stringify(
      {
        ...{ to: "0xab", value: "0xff", fromBlock: "0x10", topics: [null] },
        ...{ rewards: true, version: 0 },
      },
      undefined,
      2,
    ),
  );
});

test("an object is shown member by member, and written back the same", () => {
  const text = JSON.stringify({ to: "0xab", topics: [["0x1"], null], version: 0 }, undefined, 2);
  const texts = readMembers(call, text) ?? {};
  expect(texts).toMatchObject({ to: "0xab", version: "0" });
  expect(writeMembers(call, texts).text).toBe(text);
});

test("nothing entered is nothing sent", () => {
  expect(readMembers(call, "")).toEqual({});
  expect(writeMembers(call, { to: " " })).toEqual({ text: "", faults: {} });
});

test.each(['{"gas":"0x1"}', "[]", "null", '"json"', "{"])(
  "%s is left to be written as JSON",
  (text) => {
    expect(readMembers(call, text)).toBeUndefined();
  },
);

test("a faulty member is named, and what was typed is kept", () => {
  const { text, faults } = writeMembers(call, { version: "x", topics: "[" });
  expect(Object.keys(faults)).toEqual(["topics", "version"]);
  expect(JSON.parse(text)).toEqual({ topics: "[", version: "x" });
});

test("a member's name is written in words", () => {
  expect(labelOf(member("maxSupportedTransactionVersion", ""))).toBe(
    "Max supported transaction version",
  );
});
