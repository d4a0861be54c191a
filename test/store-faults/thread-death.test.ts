import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, type TestContext, test, vi } from "vitest";
import type { DayBalance, Grant } from "../../src/storage/ledger-store.ts";
import { takeRequest } from "../support/ledger-contract.ts";
import { startStorage } from "../support/storage-process.ts";
import { bucket } from "../support/usage-contract.ts";
import { temporaryFolder } from "../support/written.ts";

const SERVES_WITHIN_MS = 2000;
const STOPPED = "the storage has stopped, and is being started again";
const { owner, day } = takeRequest();

/** A storage whose calls are carried out in its thread, and the calls that are asked here. */
async function openedStorage({ onTestFinished }: Pick<TestContext, "onTestFinished">) {
  const path = join(temporaryFolder("thread-death"), "tollgate.db");
  const storage = await startStorage({ path, threadAfterMs: 0 });
  onTestFinished(storage.end);
  const record = (rows: number) => {
    const buckets = Array.from({ length: rows }, (_, n) => bucket({ keyId: `key_${n}` }));
    return storage.call("usage", "record", buckets, []);
  };
  return {
    storage,
    record,
    take: async (credits: number): Promise<number> => {
      const request = takeRequest({ want: credits, least: credits, limit: 1e9, perSecond: 1e9 });
      return ((await storage.call("ledger", "take", request)) as Grant).granted;
    },
    used: async () => ((await storage.call("ledger", "read", owner, day)) as DayBalance).used,
    /** Milliseconds until a write is carried out. */
    untilWritten: async (): Promise<number> => {
      const beganAtMs = performance.now();
      await vi.waitFor(() => record(1), { timeout: 20_000, interval: 5 });
      return performance.now() - beganAtMs;
    },
    /** How many files the storage's process may have open: those beyond that cannot be opened. */
    limitFiles: (most: number) =>
      execFileSync("prlimit", ["--pid", String(storage.pid), `--nofile=${most}:`]),
  };
}

const outcome = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "done",
    (error: Error) => error.message,
  );

describe.concurrent("a storage whose thread dies", () => {
  test("in the midst of writes, however it does, works again within 2 s", async (context) => {
    const { storage, record, untilWritten } = await openedStorage(context);
    let cutShort = 0;
    for (let death = 0; death < 6; death += 1) {
      // Transactions of many statements: a thread that dies must not leave its lock behind.
      const writes = [0, 1, 2].map(() => outcome(record(3000)));
      await pause(death * 10);
      await storage.killThread();
      for (const each of await Promise.all(writes)) {
        if (each !== "done") expect(each).toContain(STOPPED);
        cutShort += each === "done" ? 0 : 1;
      }
      expect(await untilWritten()).toBeLessThan(SERVES_WITHIN_MS);
    }
    expect(cutShort).toBeGreaterThan(0);
  });

  test("has carried out what it answered, and of what it did not answer no more than was asked", async (context) => {
    const { storage, take, used, untilWritten } = await openedStorage(context);
    let granted = 0;
    let unknown = 0;
    for (let death = 0; death < 4; death += 1) {
      const takes = Array.from({ length: 40 }, async () => {
        const credits = await take(100).catch(() => 0);
        granted += credits;
        unknown += credits === 0 ? 100 : 0;
      });
      await storage.killThread();
      await Promise.all(takes);
      await untilWritten();
      expect(await used()).toBeGreaterThanOrEqual(granted);
      expect(await used()).toBeLessThanOrEqual(granted + unknown);
    }
    expect(unknown).toBeGreaterThan(0);
  });

  test("and cannot be begun again for a while fails at once, and works within 2 s of when it can", async (context) => {
    const { storage, record, take, used, untilWritten, limitFiles } = await openedStorage(context);
    await take(100);
    limitFiles(3);
    await storage.killThread();
    await vi.waitFor(async () => expect(await outcome(record(1))).toContain(STOPPED), {
      interval: 5,
    });
    const beganAtMs = performance.now();
    while (performance.now() - beganAtMs < 2000) {
      const askedAtMs = performance.now();
      expect(await outcome(record(1))).toContain(STOPPED);
      expect(performance.now() - askedAtMs).toBeLessThan(1000);
      await pause(20);
    }
    limitFiles(1024);
    expect(await untilWritten()).toBeLessThan(SERVES_WITHIN_MS);
    expect(await used()).toBe(100);
  });
});
