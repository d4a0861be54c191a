import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { takeRequest } from "../support/ledger-contract.ts";
import { type StorageProcess, startStorage } from "../support/storage-process.ts";
import { temporaryFolder } from "../support/written.ts";

const EXPIRED_ROWS = 150_000;
const ACCOUNTS = 500;
const LONGEST_WAIT_MS = 50;
const WATCHED_MS = 2500;
const EVERYTHING = { minute: 2 ** 50, hour: 2 ** 50, day: 2 ** 50 };

const opened: StorageProcess[] = [];
afterEach(async () => {
  for (const storage of opened.splice(0)) await storage.end();
});
async function open(path: string): Promise<StorageProcess> {
  const storage = await startStorage({ path, threadAfterMs: 0 });
  opened.push(storage);
  return storage;
}

/** Minutes of many accounts: the oldest rows lie far from each other. */
function addExpiredRows(path: string): void {
  const db = new DatabaseSync(path);
  db.exec("PRAGMA synchronous = OFF");
  db.exec(`
    WITH RECURSIVE rows (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM rows WHERE n < ${EXPIRED_ROWS - 1})
    INSERT INTO usage_minutes
      (at, account_id, key_id, network, method, outcome, calls, credits, bytes, latency_ms)
    SELECT n / ${ACCOUNTS} * 60000, 'acc_' || (n % ${ACCOUNTS}), 'key_1', 'net', 'eth_call', 'ok', 1, 1, 1, 1
    FROM rows`);
  db.close();
}

/** Takes one after the other until it is told to end: how long each one waited, milliseconds. */
function takes(storage: StorageProcess, name: string): () => Promise<number[]> {
  const waitsMs: number[] = [];
  let isEnding = false;
  const run = async () => {
    const request = takeRequest({ owner: name, process: name, limit: 1e12, perSecond: 1e9 });
    while (!isEnding) {
      const sentAtMs = performance.now();
      await storage.call("ledger", "take", request);
      waitsMs.push(performance.now() - sentAtMs);
      await pause(2);
    }
  };
  const running = run();
  return async () => {
    isEnding = true;
    await running;
    return waitsMs.sort((a, b) => a - b);
  };
}

const most = (sorted: readonly number[]): number => sorted.at(-1) ?? Number.NaN;
const usual = (sorted: readonly number[]): number =>
  sorted[Math.floor(sorted.length * 0.98)] ?? Number.NaN;

/** Other tests may take the machine for themselves in one round. */
test("while many rows are dropped, takes of this and of another process wait for it less than 50 ms", {
  retry: 2,
}, async () => {
  const folder = temporaryFolder("pruning");
  const path = join(folder, "tollgate.db");
  const pruned = await open(path);
  addExpiredRows(path);
  const other = await open(path);
  // What takes wait on this machine at this time without that, on a file of its own.
  const apart = await open(join(folder, "apart.db"));

  const ends = [takes(apart, "apart"), takes(pruned, "own"), takes(other, "other")];
  const beganAtMs = performance.now();
  let pieces = 0;
  let isMore: unknown = true;
  while (isMore === true && performance.now() - beganAtMs < WATCHED_MS) {
    isMore = await pruned.call("usage", "prune", EVERYTHING);
    pieces += 1;
    await pause(20);
  }
  const [alone = [], ...waits] = await Promise.all(ends.map((end) => end()));
  expect(pieces).toBeGreaterThan(10);
  for (const waitsMs of waits) {
    expect(waitsMs.length).toBeGreaterThan(20);
    expect(usual(waitsMs)).toBeLessThan(LONGEST_WAIT_MS + usual(alone));
    expect(most(waitsMs)).toBeLessThan(10 * LONGEST_WAIT_MS + most(alone));
  }
});
