import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { base58 } from "@scure/base";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/written.ts";
import { readStoredBlock } from "../../block-files/stored-block.ts";
import { importLedger } from "./ledger-import.ts";

const SAMPLE = join(import.meta.dirname, "../../dev/sample-ledger");
const FIXTURES = "test/fixtures/slot";
const samples = JSON.parse(readFileSync(join(SAMPLE, "samples.json"), "utf8"));
const { genesisHash } = JSON.parse(readFileSync(join(SAMPLE, "ledger.json"), "utf8"));
const slot: number = samples.versionedSlot;
const stored = readFileSync(join(SAMPLE, `blocks/${slot}.json`), "utf8");

const folder = temporaryFolder("ledger-folder");
let folders = 0;

/** A folder of these files. */
function written(files: Readonly<Record<string, string>>): string {
  folders += 1;
  const path = join(folder, `from-${folders}`);
  mkdirSync(path);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

async function importAll(from: string, slots: string) {
  const to = `${from}-${slots}`;
  const { json } = await importLedger({ from, slots, to }, { print: () => undefined });
  const head = JSON.parse(readFileSync(join(to, "ledger.json"), "utf8"));
  const block = (at: number) => readFileSync(join(to, `blocks/${at}.json`), "utf8");
  return { summary: json, head, block };
}

type Each = { transaction: [string, string]; version?: unknown };
const reencoded = (change: (each: Each) => unknown): string => {
  const block = JSON.parse(stored);
  return JSON.stringify({ ...block, transactions: block.transactions.map(change) });
};
const toBase58 = ({ transaction: [base64] }: Each) => base58.encode(Buffer.from(base64, "base64"));

describe("a folder of JSON files", () => {
  test("fills a ledger from responses and results, base64 and base58, named in both ways", async () => {
    const inBase58 = reencoded((each) => ({ ...each, transaction: [toBase58(each), "base58"] }));
    const bare = reencoded(({ version: _, ...each }) => ({
      ...each,
      transaction: toBase58(each as Each),
    }));
    for (const text of [stored, inBase58, bare]) {
      const response = `{"jsonrpc":"2.0","result":${text},"id":1}`;
      for (const files of [{ [`${slot}.json`]: text }, { [`net-slot-${slot}-x.json`]: response }]) {
        const { block, head } = await importAll(written(files), `${slot}`);
        expect(JSON.parse(block(slot))).toEqual(JSON.parse(stored));
        // The files do not tell their chain: the hash of nothing.
        expect(head).toMatchObject({ genesisHash: "1".repeat(32), firstSlot: slot });
      }
    }
  });

  test("has no block where a file says so, and is not believed where it holds something else", async () => {
    const skipped = `{"jsonrpc":"2.0","error":{"code":-32007,"message":"Slot 5 was skipped"},"id":1}`;
    const files = { [`${slot}.json`]: stored, [`${slot + 1}.json`]: skipped };
    const nulls = { [`${slot + 2}.json`]: `{"result":null}`, [`${slot + 3}.json`]: "null" };
    const { summary } = await importAll(written({ ...files, ...nulls }), `${slot}-${slot + 3}`);
    expect(summary).toMatchObject({ imported: 1, skipped: 3 });
    const wrong = {
      "not json": "{",
      "no block": "[]",
      "an error": `{"error":{"code":-32004,"message":"Block not available"}}`,
      jsonParsed: reencoded(() => ({
        transaction: { message: { accountKeys: [{ pubkey: "1" }] } },
      })),
      signatures: JSON.stringify({ ...JSON.parse(stored), transactions: undefined }),
      damaged: reencoded((each) => ({ ...each, transaction: ["AAAA", "base64"] })),
      foreign: reencoded((each) => ({ ...each, transaction: ["0OIl", "base58"] })),
    };
    for (const [name, text] of Object.entries(wrong)) {
      const from = written({ [`${slot}.json`]: text });
      await expect(importAll(from, `${slot}`), name).rejects.toMatchObject({
        name: "CommandError",
      });
    }
    const parsed = written({ [`${slot}.json`]: wrong.jsonParsed });
    await expect(importAll(parsed, `${slot}`)).rejects.toThrow(
      /base64, base58 or json.*jsonParsed/,
    );
    const below = written({ "7.json": stored });
    await expect(importAll(below, "7")).rejects.toThrow(/slot 7: its parentSlot is not below/);
  });

  test("that is itself a ledger gives the same ledger, its chain included", async () => {
    folders += 1;
    const from = join(folder, `ledger-${folders}`);
    cpSync(SAMPLE, from, { recursive: true });
    const { head, block } = await importAll(from, "431991-432008");
    expect(head).toMatchObject({ genesisHash, firstSlot: 431991, finalizedSlot: 432008 });
    expect(JSON.parse(block(slot))).toEqual(JSON.parse(stored));
  });
});

describe("recorded blocks", () => {
  test("in base64 are taken before those in json, which give the same transactions", async () => {
    const { block } = await importAll(copied("slot-147078735-full-base64-rewards"), "147078735");
    const { block: fromJson } = await importAll(
      copied("slot-147078735-full-json-rewards", "slot-147078735-full-jsonparsed-rewards"),
      "147078735",
    );
    expect(JSON.parse(fromJson(147078735))).toEqual(JSON.parse(block(147078735)));
    expect(readStoredBlock(block(147078735)).transactions).toHaveLength(25);
  });

  test("of version 0 in json keep their tables and their version", async () => {
    const { block } = await importAll(
      copied("mainnet-slot-154808473-full-json-v0-loadedAddresses"),
      "154808473",
    );
    const [first] = readStoredBlock(block(154808473)).transactions;
    expect(first?.version).toBe(0);
    expect(first?.wire?.message.addressTableLookups.length).toBeGreaterThan(0);
  });

  test("of one slot: the one with the most transactions; in jsonParsed alone: refused", async () => {
    const names = ["err-variants", "full-json-legacy", "full-jsonparsed-version-legacy"];
    const from = copied(...names.map((name) => `mainnet-slot-100000000-${name}`));
    const { block } = await importAll(from, "100000000");
    expect(readStoredBlock(block(100000000)).transactions).toHaveLength(10);
    const parsed = copied("mainnet-slot-241043141-full-jsonparsed-failed");
    await expect(importAll(parsed, "241043141")).rejects.toThrow(/jsonParsed/);
  });
});

const copied = (...names: readonly string[]): string =>
  written(
    Object.fromEntries(
      names.map((name) => [`${name}.json`, readFileSync(join(FIXTURES, `${name}.json`), "utf8")]),
    ),
  );
