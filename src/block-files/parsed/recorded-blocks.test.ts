import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { decodeBase58 } from "../base58.ts";
import { parseInstruction } from "./parse-instruction.ts";

const FOLDER = "test/fixtures/slot";

type Instruction = { accounts: number[]; data: string; programIdIndex: number };
type Parsed = { program?: string; programId: string; parsed?: unknown };
type Transaction<I> = {
  transaction: { message: { accountKeys: (string | { pubkey: string })[]; instructions: I[] } };
  meta: {
    innerInstructions?: { index: number; instructions: I[] }[] | null;
    loadedAddresses?: { readonly: string[]; writable: string[] };
  };
};
type Block<I> = { transactions: Transaction<I>[] };
type Pair = { name: string; json: Block<Instruction>; parsed: Block<Parsed> };

/** The block of a file, which is a node's whole answer or its result alone. */
function readBlock(file: string) {
  const body = JSON.parse(readFileSync(`${FOLDER}/${file}`, "utf8"));
  return body.result ?? body;
}

function pair(name: string, json: string, parsed: string): Pair {
  return { name, json: readBlock(json), parsed: readBlock(parsed) };
}

/** The blocks of the recorded node that it gave both as json and as jsonParsed. */
function nodePairs(): Pair[] {
  const blocks = new Map<string, Block<never>>();
  for (const line of readFileSync(`${FOLDER}/agave.jsonl`, "utf8").trimEnd().split("\n")) {
    const recorded = JSON.parse(line);
    if (!recorded.case.startsWith("block: ") || !recorded.case.includes(" / full / ")) continue;
    const answer = JSON.parse(recorded.responseText);
    if (answer.result) blocks.set(recorded.case, answer.result);
  }
  return [...blocks].flatMap(([name, json]) => {
    const parsed = blocks.get(name.replace("/ json /", "/ jsonParsed /"));
    return name.includes("/ json /") && parsed ? [{ name, json, parsed }] : [];
  });
}

function allOf<I>({ transaction, meta }: Transaction<I>): I[] {
  const inner = (meta.innerInstructions ?? []).flatMap(({ instructions }) => instructions);
  return [...transaction.message.instructions, ...inner];
}

function keysOf({ transaction, meta }: Transaction<unknown>): string[] {
  const own = transaction.message.accountKeys.map((key) =>
    typeof key === "string" ? key : key.pubkey,
  );
  return [
    ...own,
    ...(meta.loadedAddresses?.writable ?? []),
    ...(meta.loadedAddresses?.readonly ?? []),
  ];
}

/** Each instruction of a pair: what we make of it and what the node wrote (nothing, if it did not parse it). */
function* instructionsOf({ json, parsed }: Pair) {
  for (const [index, transaction] of json.transactions.entries()) {
    const keys = keysOf(transaction);
    const theirs = allOf(parsed.transactions[index] as Transaction<Parsed>);
    for (const [at, { accounts, data, programIdIndex }] of allOf(transaction).entries()) {
      const recorded = theirs[at] as Parsed;
      const ours = parseInstruction({
        programId: keys[programIdIndex] ?? "",
        accounts: accounts.map((account) => keys[account] ?? ""),
        data: decodeBase58(data),
      });
      const { program, programId, parsed } = recorded;
      yield { ours, theirs: program === undefined ? undefined : { parsed, program, programId } };
    }
  }
}

describe("instructions of recorded blocks", () => {
  const pairs = [
    ...nodePairs(),
    pair(
      "slot 147078735 of devnet",
      "slot-147078735-full-json-rewards.json",
      "slot-147078735-full-jsonparsed-rewards.json",
    ),
    pair(
      "slot 100000000 of mainnet",
      "mainnet-slot-100000000-full-json-legacy.json",
      "mainnet-slot-100000000-full-jsonparsed-version-legacy.json",
    ),
  ];

  test.each(pairs)("$name: each comes out as the node parsed it, or not at all", (recorded) => {
    let parsed = 0;
    for (const { ours, theirs } of instructionsOf(recorded)) {
      expect(ours).toEqual(theirs);
      if (theirs !== undefined) parsed += 1;
    }
    expect(parsed).toBeGreaterThan(0);
  });

  test("the recorded node's blocks and two of public networks are among them", () => {
    expect(pairs.length).toBeGreaterThan(8);
  });
});
