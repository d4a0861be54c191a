import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { readStoredBlock } from "../src/block-files/stored-block.ts";
import { memoryBytes } from "./memory.ts";
import { Processes } from "./processes.ts";
import { memoryLine, rowsOf, tableOf } from "./report.ts";
import { scenarioOf } from "./scenarios.ts";
import {
  FIRST_SLOT,
  GENESIS_HASH,
  HEAD_SLOT,
  LAST_LEDGER_SLOT,
  writeLedger,
} from "./slot-chain.ts";

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

describe("the stand-in slot node", () => {
  test("answers a block of 5 MB in the form of agave, with the id and the parent asked for", async () => {
    const port = await standIn();
    const body = scenarioOf("slot-block-5m").body(7).replace('"id":1,', '"id":"a",');
    const text = await post(port, body);
    expect(text).toMatch(/^\{"jsonrpc":"2\.0","result":\{"blockHeight":\d+,"blockTime":\d+,/);
    expect(text.endsWith(']},"id":"a"}\n')).toBe(true);
    expect(text.length).toBeGreaterThan(5_000_000);
    expect(text.length).toBeLessThan(5_020_000);
    const { result } = JSON.parse(text);
    expect(result.parentSlot).toBe(FIRST_SLOT + 6);
    expect(Object.keys(result)).toEqual(Object.keys(result).toSorted());
    const versions = result.transactions.map(({ version }: { version: unknown }) => version);
    expect(new Set(versions)).toEqual(new Set(["legacy", 0]));
    const signatures = result.transactions.map(
      ({ transaction }: { transaction: { signatures: string[] } }) => transaction.signatures[0],
    );
    expect(new Set(signatures).size).toBe(signatures.length);
  });

  test("tells its slots and its chain by itself, and null of a slot without a block", async () => {
    const port = await standIn();
    const ask = async (method: string, params: unknown[]) =>
      JSON.parse(await post(port, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })));
    expect(await ask("getGenesisHash", [])).toMatchObject({ result: GENESIS_HASH });
    expect(await ask("getSlot", [{ commitment: "finalized" }])).toMatchObject({
      result: HEAD_SLOT,
    });
    expect(await ask("getBlock", [HEAD_SLOT + 1])).toMatchObject({ result: null });
  });
});

describe("the ledger", () => {
  let directory = "";

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "tollgate-bench-"));
    await writeLedger(directory);
    return () => rm(directory, { recursive: true, force: true });
  });

  test("has a block of about 200 KB for every body of the scenario, each with other transactions", async () => {
    const { body } = scenarioOf("slot-ledger");
    const slots = new Set(
      Array.from({ length: 200 }, (_, n) => Number(/"params":\[(\d+),/.exec(body(n))?.[1])),
    );
    expect(slots.size).toBe(LAST_LEDGER_SLOT - FIRST_SLOT + 1);
    const seen = new Set<string>();
    for (const slot of slots) {
      const text = await readFile(join(directory, "blocks", `${slot}.json`), "utf8");
      expect(text.length).toBeGreaterThan(200_000);
      expect(text.length).toBeLessThan(212_000);
      const { members, transactions } = readStoredBlock(text);
      expect(members).toMatchObject({ parentSlot: slot - 1, rewards: [] });
      for (const { base64, wire } of transactions) {
        expect(wire).toBeDefined();
        expect(seen.has(base64)).toBe(false);
        seen.add(base64);
      }
    }
  });
});

test("a target without a floor is in calls for each second of CPU, and met or missed", () => {
  const table = (cpuUs: number) => {
    const counts = { writes: 1, bytes: 9, upstream: { calls: 0, requests: 0 } };
    const faults = { count: 0, first: null };
    const closed = [{ calls: 9, callsPerSecond: 300, cpuUs, ...counts, faults }];
    return tableOf(rowsOf([{ subject: "tollgate", scenario: "slot-ledger", closed, open: [] }]));
  };
  expect(table(5000)).toMatch(/slot-ledger +tollgate +5000\.0 +200 +300 +>= 200\/CPU s met/);
  expect(table(5100)).toMatch(/slot-ledger +tollgate +5100\.0 +196 +300 +>= 200\/CPU s missed/);
});

describe("large answers at once", () => {
  test("a target is met or missed, and faults are shown", () => {
    const faults = { count: 0, first: null };
    const of = (peakBytes: number | null) =>
      memoryLine({ atOnce: 20, waves: 3, idleBytes: 90_000_000, peakBytes, faults });
    expect(of(400_000_000)).toContain("90 MB at the start, 400 MB at most   <= 400 MB met\n");
    expect(of(400_000_001)).toContain("<= 400 MB missed\n");
    expect(of(null)).toContain("unknown at most   <= 400 MB\n");
    const broken = { count: 2, first: "503" };
    const line = { atOnce: 20, waves: 3, idleBytes: 1, peakBytes: 2, faults: broken };
    expect(memoryLine(line)).toContain("\n2 faults: 503\n");
  });

  test("a process that is not there has no memory", () => {
    expect(memoryBytes(0, "VmHWM")).toBeNull();
  });
});

async function standIn(): Promise<number> {
  const processes = new Processes({ cores: null });
  ends.push(() => processes.stopAll());
  return (await processes.startChild("others", "./stand-in-node.ts")).port;
}

async function post(port: number, body: string): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body })).text();
}
