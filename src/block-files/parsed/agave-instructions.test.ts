import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseInstruction } from "./parse-instruction.ts";

/** What agave's own parser made of our instructions: test/agave writes the file, its README says how. */
const FILE = new URL("agave-instructions.jsonl", import.meta.url);

type Line = {
  readonly program: number;
  readonly accounts: number;
  readonly data: string;
  readonly name?: string;
  readonly parsed: unknown;
};

type Reviver = (key: string, value: unknown, context: { source: string }) => unknown;
const parseWith = JSON.parse as (text: string, reviver: Reviver) => unknown;

/** Every number becomes its own text, but `uiAmount`, a float, which agave may write as 1.0 or 1e9. */
const numbersAsText: Reviver = (key, value, { source }) =>
  typeof value === "number" && key !== "uiAmount" ? { number: source } : value;

const [first = "", ...lines] = readFileSync(FILE, "utf8").trimEnd().split("\n");
const { accounts, programs } = JSON.parse(first) as { accounts: string[]; programs: string[] };

function ours(line: Line) {
  return parseInstruction({
    programId: programs[line.program] ?? "",
    accounts: accounts.slice(0, line.accounts),
    data: Buffer.from(line.data, "base64"),
  });
}

describe("instructions that agave 3.0.14 parsed", () => {
  test("each comes out in agave's words: its keys, their order, every digit of its numbers", () => {
    for (const line of lines) {
      const theirs = parseWith(line, numbersAsText) as Line;
      const asked = JSON.parse(line) as Line;
      const parsed = ours(asked);
      const text =
        parsed && JSON.stringify(parseWith(JSON.stringify(parsed.parsed), numbersAsText));
      expect(text, line).toBe(theirs.parsed === null ? undefined : JSON.stringify(theirs.parsed));
      expect(parsed?.program, line).toBe(theirs.name);
    }
  });

  test("the file asks about every instruction that our tables know", () => {
    const named = lines.filter((line) => line.includes('"name":'));
    const types = new Set(named.map((line) => (JSON.parse(line).parsed as { type?: string }).type));
    expect(lines.length).toBeGreaterThan(1_500);
    expect(types.size).toBeGreaterThan(130);
  });
});
