import { describe, expect, test } from "vitest";
import { latenciesAt } from "../../test/support/latencies-at.ts";
import { takeRequest } from "../../test/support/ledger-contract.ts";
import { dayOf } from "../lib/day.ts";
import { openMemory } from "../storage/memory.ts";
import type { UsageBucket } from "../storage/usage-store.ts";
import { accountBalance, accountUsage, type UsageAccount } from "./account-usage.ts";

const NOW = Date.UTC(2026, 10, 21, 12, 40, 0, 1);
const DAY = dayOf(NOW);
const plans = { free: { dailyCredits: 3_000_000 }, custom: { dailyCredits: 0 } };

const ada = (over: Partial<UsageAccount> = {}): UsageAccount => ({
  id: "acc_1",
  email: "ada@example.com",
  plan: "free",
  limits: { creditsPerDay: null, creditsPerSecond: null },
  ...over,
});

const bucket = (over: Partial<UsageBucket>): UsageBucket => ({
  minute: Math.floor(NOW / 60_000),
  accountId: "acc_1",
  keyId: "key_1",
  network: "mainnet",
  method: "eth_call",
  outcome: "ok",
  calls: 1,
  credits: 80,
  bytes: 100,
  latencyMs: 5,
  latencies: latenciesAt(5, 1),
  ...over,
});

async function spend(storage: ReturnType<typeof openMemory>, credits: number): Promise<void> {
  await storage.ledger.take({
    owner: "acc_1",
    day: DAY,
    pool: null,
    want: credits,
    least: credits,
    limit: 3_000_000,
    process: "test",
    number: takeRequest().number,
    perSecond: 3_000_000,
    now: NOW,
  });
}

describe("the balance of an account's day", () => {
  test("is its plan's credits and those added, less what the ledger counts as used", async () => {
    const storage = openMemory();
    await spend(storage, 1000);
    await storage.ledger.add("acc_1", DAY, 500);
    await storage.ledger.add("acc_1", DAY - 1, 7);
    expect(await accountBalance({ storage, plans }, ada(), NOW)).toEqual({
      account: "ada@example.com",
      day: "2026-11-21",
      limit: 3_000_500,
      used: 1000,
      left: 2_999_500,
      resetSeconds: 40_800,
    });
  });

  test("begins anew at 00:00 UTC, and the seconds until then are never 0", async () => {
    const storage = openMemory();
    await spend(storage, 1000);
    const midnight = (DAY + 1) * 86_400_000;
    const before = await accountBalance({ storage, plans }, ada(), midnight - 1);
    expect(before).toMatchObject({ used: 1000, resetSeconds: 1 });
    const after = await accountBalance({ storage, plans }, ada(), midnight);
    expect(after).toMatchObject({ day: "2026-11-22", used: 0, resetSeconds: 86_400 });
  });

  test("takes the account's own credits in place of its plan's", async () => {
    const parts = { storage: openMemory(), plans };
    const limits = { creditsPerDay: 5000, creditsPerSecond: null };
    const balance = (over: Partial<UsageAccount>) => accountBalance(parts, ada(over), NOW);
    expect(await balance({ limits })).toMatchObject({ limit: 5000 });
    expect(await balance({ plan: "custom", limits })).toMatchObject({ limit: 5000 });
    expect(await balance({ plan: "custom" })).toMatchObject({ limit: 0, left: 0 });
    expect(await balance({ plan: "constructor" })).toMatchObject({ limit: 0 });
  });

  test("never has less than nothing left, where a plan was lowered after more was spent", async () => {
    const storage = openMemory();
    await spend(storage, 1000);
    const limits = { creditsPerDay: 400, creditsPerSecond: null };
    expect(await accountBalance({ storage, plans }, ada({ limits }), NOW)).toMatchObject({
      limit: 400,
      used: 1000,
      left: 0,
    });
  });
});

test("usage sums today's calls over keys and outcomes, dearest first", async () => {
  const storage = openMemory();
  const yesterday = Math.floor(NOW / 60_000) - 1440;
  await storage.usage.record(
    [
      bucket({ calls: 2, credits: 160 }),
      bucket({ keyId: "key_2", outcome: "revert" }),
      bucket({ outcome: "throughput_exceeded", calls: 4, credits: 0 }),
      bucket({ method: "eth_estimateGas", credits: 300 }),
      bucket({ network: "sepolia" }),
      bucket({ minute: yesterday, calls: 9 }),
      bucket({ accountId: "acc_2", calls: 9 }),
    ],
    [],
  );
  const { calls, ...balance } = await accountUsage({ storage, plans }, ada(), NOW);
  expect(balance).toEqual(await accountBalance({ storage, plans }, ada(), NOW));
  expect(calls).toEqual([
    { network: "mainnet", method: "eth_estimateGas", calls: 1, credits: 300 },
    { network: "mainnet", method: "eth_call", calls: 7, credits: 240 },
    { network: "sepolia", method: "eth_call", calls: 1, credits: 80 },
  ]);
});
