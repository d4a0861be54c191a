import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { block } from "./block.ts";
import type { Shape, ShapeOptions } from "./shape.ts";
import { storageValue } from "./storage-value.ts";
import { transaction } from "./transaction.ts";
import { uncle } from "./uncle.ts";

const FIXTURES = "test/fixtures";
const FINAL = "0xc70d815d562d3cfa955";

type Fields = {
  readonly [name in "blockHash" | "r" | "s" | "difficulty" | "totalDifficulty"]?: unknown;
} & { readonly transactions?: readonly unknown[] };
type Recorded = { name: string; kind: keyof typeof SHAPES; pending: boolean; text: string };

const SHAPES = { block, uncle, transaction, storage: storageValue };
const METHODS: Record<string, keyof typeof SHAPES> = {
  eth_getBlockByHash: "block",
  eth_getBlockByNumber: "block",
  eth_getUncleByBlockHashAndIndex: "uncle",
  eth_getUncleByBlockNumberAndIndex: "uncle",
  eth_getTransactionByBlockHashAndIndex: "transaction",
  eth_getTransactionByBlockNumberAndIndex: "transaction",
  eth_getTransactionByHash: "transaction",
  eth_getStorageAt: "storage",
};

const OPTIONS: readonly Omit<ShapeOptions, "pending">[] = [
  { pendingBlock: "documented", signatures: "node", finalTotalDifficulty: FINAL },
  { pendingBlock: "node", signatures: "node", finalTotalDifficulty: undefined },
  { pendingBlock: "documented", signatures: "padded", finalTotalDifficulty: undefined },
  { pendingBlock: "node", signatures: "padded", finalTotalDifficulty: FINAL },
];

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const pad = (word: unknown) => `0x${String(word).slice(2).padStart(64, "0")}`;

/** The documented shape, written down once more on parsed values. */
const EXPECTED: Record<keyof typeof SHAPES, (value: unknown, options: ShapeOptions) => unknown> = {
  storage: (value) => pad(value),
  uncle: (value) => ({ totalDifficulty: null, ...(value as Fields) }),
  transaction: (value, options) => {
    const tx = value as Fields;
    const pending = options.pending || tx.blockHash === null;
    return {
      ...tx,
      ...(pending && options.pendingBlock === "documented"
        ? { blockHash: null, blockNumber: null, transactionIndex: null }
        : {}),
      ...(options.signatures === "padded" ? { r: pad(tx.r), s: pad(tx.s) } : {}),
    };
  },
  block: (value, options) => {
    const given = value as Fields;
    const final = given.difficulty === "0x0" ? options.finalTotalDifficulty : undefined;
    return {
      ...given,
      totalDifficulty: given.totalDifficulty ?? final ?? null,
      transactions: given.transactions?.map((tx) =>
        isFields(tx) ? EXPECTED.transaction(tx, options) : tx,
      ),
      ...(options.pending && options.pendingBlock === "documented"
        ? { hash: null, nonce: null, logsBloom: null, number: null }
        : {}),
    };
  },
};

function kindOfFile(name: string): keyof typeof SHAPES | undefined {
  if (/uncle-\d/.test(name)) return "uncle";
  if (/receipt/i.test(name)) return undefined;
  if (/-block-|^eth_getBlock/.test(name) && !/-txs-/.test(name)) return "block";
  return /-tx-/.test(name) ? "transaction" : undefined;
}

function* chainRecordings(folder: string): Generator<Recorded> {
  for (const name of readdirSync(join(FIXTURES, folder))) {
    const kind = kindOfFile(name);
    if (!name.endsWith(".json") || kind === undefined) continue;
    const text = readFileSync(join(FIXTURES, folder, name), "utf8");
    yield { name, kind, pending: name.includes("tag-pending"), text };
  }
}

function* nodeRecordings(file: string): Generator<Recorded> {
  const lines = readFileSync(join(FIXTURES, "nodes", file), "utf8").split("\n");
  for (const line of lines.filter(Boolean)) {
    const { case: name, request, response } = JSON.parse(line);
    const kind = METHODS[request?.method];
    if (kind === undefined || response?.result === undefined) continue;
    const pending = request.params?.[0] === "pending";
    yield { name: `${file} ${name}`, kind, pending, text: JSON.stringify(response.result) };
  }
}

function checkAll(recordings: Iterable<Recorded>): Map<string, number> {
  const seen = new Map<string, number>();
  for (const { name, kind, pending, text } of recordings) {
    const value = JSON.parse(text);
    seen.set(kind, (seen.get(kind) ?? 0) + (value === null ? 0 : 1));
    for (const choice of OPTIONS) {
      const options = { ...choice, pending };
      const shape: Shape = SHAPES[kind];
      // Compact as nodes write it, and as a file's white space has it.
      for (const json of [text, JSON.stringify(value)]) {
        const result = JSON.parse(Buffer.concat(shape(Buffer.from(json), options, [])).toString());
        const expected = value === null ? null : EXPECTED[kind](value, options);
        expect(result, `${name} ${JSON.stringify(options)}`).toEqual(expected);
      }
    }
  }
  return seen;
}

describe("recorded answers have the documented shape", () => {
  test("of real chains", () => {
    const seen = checkAll(chainRecordings("evm"));
    expect(seen).toEqual(new Map([...seen].filter(([, count]) => count > 1)));
    expect([...seen.keys()].toSorted()).toEqual(["block", "transaction", "uncle"]);
  });

  test("of go-ethereum's own tests, the pending block among them", () => {
    expect(checkAll(chainRecordings("evm/geth-golden")).get("block")).toBeGreaterThan(8);
  });

  test.each(
    readdirSync(join(FIXTURES, "nodes")).filter(
      (name) => name.endsWith(".jsonl") && name !== "revert-corpus.jsonl",
    ),
  )("of the node in %s", (file) => {
    const seen = checkAll(nodeRecordings(file));
    for (const kind of ["block", "transaction", "storage"])
      expect(seen.get(kind)).toBeGreaterThan(4);
  });
});
