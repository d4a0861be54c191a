import { execFileSync } from "node:child_process";
import { createPublicKey, verify } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const KEPT = join(import.meta.dirname, "../src/dev/sample-ledger");
const GENERATOR = join(import.meta.dirname, "outside/sample-ledger/generate.ts");

type Block = {
  readonly blockhash: string;
  readonly previousBlockhash: string;
  readonly parentSlot: number;
  readonly blockHeight: number;
  readonly transactions: readonly {
    readonly meta: { readonly err: unknown; readonly loadedAddresses: Record<string, string[]> };
    readonly transaction: readonly [string, "base64"];
    readonly version: "legacy" | 0;
  }[];
};

const textsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [path.slice(folder.length), readFileSync(path, "utf8")]),
  );

const ledger = JSON.parse(readFileSync(join(KEPT, "ledger.json"), "utf8"));
const blocks: readonly (readonly [number, Block])[] = readdirSync(join(KEPT, "blocks"))
  .map((name): [number, Block] => [
    Number.parseInt(name, 10),
    JSON.parse(readFileSync(join(KEPT, "blocks", name), "utf8")),
  ])
  .sort(([a], [b]) => a - b);
const transactions = blocks.flatMap(([, block]) => block.transactions);

test("the generator gives the sample ledger again, byte by byte", () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-sample-ledger-"));
  try {
    execFileSync(process.execPath, [GENERATOR, folder]);
    expect(textsOf(folder)).toEqual(textsOf(KEPT));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe("the sample ledger", () => {
  test("begins and ends where it says, with a skipped slot and a few that are not final", () => {
    const slots = blocks.map(([slot]) => slot);
    expect(slots[0]).toBe(ledger.firstSlot);
    expect(slots.at(-1)).toBe(ledger.confirmedSlot);
    expect(slots).toContain(ledger.finalizedSlot);
    expect(ledger.finalizedSlot).toBeLessThan(ledger.confirmedSlot);
    expect(slots.length).toBeLessThan(ledger.confirmedSlot - ledger.firstSlot + 1);
  });

  test("is one chain: each block names the one before it", () => {
    blocks.slice(1).forEach(([, block], index) => {
      const [slot, before] = blocks[index] as [number, Block];
      expect(block.previousBlockhash).toBe(before.blockhash);
      expect(block.parentSlot).toBe(slot);
      expect(block.blockHeight).toBe(before.blockHeight + 1);
    });
  });

  test("holds transactions whose signatures are real", () => {
    for (const { transaction } of transactions) expect(isSigned(transaction[0])).toBe(true);
  });

  test("shows legacy, version 0 with and without a table, success and failure", () => {
    const kinds = transactions.map(({ version, meta }) => {
      const isLoaded = Object.values(meta.loadedAddresses).flat().length > 0;
      return `${version} ${isLoaded ? "table" : "plain"} ${meta.err === null ? "ok" : "failed"}`;
    });
    const all = ["legacy plain ok", "legacy plain failed", "0 plain ok"];
    expect(new Set(kinds)).toEqual(new Set([...all, "0 table ok", "0 table failed"]));
  });

  test("loses digits where its lamports are read as doubles", () => {
    const texts = Object.values(textsOf(join(KEPT, "blocks"))).join("");
    const integers = texts.match(/(?<=[:[,])\d{16,}(?=[,\]}])/g) ?? [];
    expect(integers.some((text) => String(Number(text)) !== text)).toBe(true);
  });
});

/** Each signature of a wire transaction is its account's own over the message. */
function isSigned(base64: string): boolean {
  const wire = Buffer.from(base64, "base64");
  const count = wire[0] ?? 0;
  const message = wire.subarray(1 + count * 64);
  const isVersioned = (message[0] ?? 0) >= 0x80;
  // A header of three bytes, behind a version or not, and how many keys there are.
  const keysAt = (isVersioned ? 1 : 0) + 3 + 1;
  return Array.from({ length: count }, (_, index) => {
    const raw = message.subarray(keysAt + index * 32, keysAt + index * 32 + 32);
    const jwk = { kty: "OKP", crv: "Ed25519", x: raw.toString("base64url") };
    const key = createPublicKey({ key: jwk, format: "jwk" });
    return verify(null, message, key, wire.subarray(1 + index * 64, 65 + index * 64));
  }).every(Boolean);
}
