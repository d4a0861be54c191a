import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { latenciesAt } from "../../../test/support/latencies-at.ts";
import { openMemory } from "../../storage/memory.ts";
import { createAccount } from "./accounts.ts";
import { showUsage } from "./usage.ts";

const NOW = Date.UTC(2026, 10, 21, 12, 40);

async function bench() {
  const parts = {
    storage: openMemory(),
    plans: { free: { dailyCredits: 3_000_000 } },
    clock: { now: () => NOW, monotonic: () => 0 },
    random: randomBytes,
  };
  await createAccount(parts, { email: "ada@example.com", plan: "free", operator: false });
  return parts;
}

test("usage gives the day's credits and the calls that they went to", async () => {
  const parts = await bench();
  const account = await parts.storage.accounts.findByEmail("ada@example.com");
  const bucket = {
    minute: Math.floor(NOW / 60_000),
    accountId: account?.id ?? "",
    keyId: "key_1",
    network: "mainnet",
    outcome: "ok",
    bytes: 1,
    latencyMs: 1,
    latencies: latenciesAt(1, 1),
  };
  await parts.storage.usage.record(
    [
      { ...bucket, method: "eth_call", calls: 1200, credits: 96_000 },
      { ...bucket, method: "eth_getLogs", calls: 1, credits: 255 },
    ],
    [],
  );
  const { json, text } = await showUsage(parts, { account: "ADA@example.com" });
  expect(JSON.stringify(json)).toBe(
    '{"account":"ada@example.com","day":"2026-11-21","limit":3000000,"used":0,"left":3000000,' +
      '"resetSeconds":40800,"calls":[' +
      '{"network":"mainnet","method":"eth_call","calls":1200,"credits":96000},' +
      '{"network":"mainnet","method":"eth_getLogs","calls":1,"credits":255}]}',
  );
  expect(text.split("\n")).toEqual([
    "ada@example.com, 2026-11-21 (UTC): 0 of 3,000,000 credits used, 3,000,000 left; the next day begins in 11 h 20 min",
    "",
    "NETWORK  METHOD       CALLS  CREDITS",
    "mainnet  eth_call     1,200  96,000",
    "mainnet  eth_getLogs  1      255",
  ]);
});

test("usage of an account without calls says so, and an unknown account is refused", async () => {
  const parts = await bench();
  expect((await showUsage(parts, { account: "ada@example.com" })).text).toMatch(/\nno calls yet$/);
  await expect(showUsage(parts, { account: "eve@example.com" })).rejects.toThrow(
    'there is no account of "eve@example.com"',
  );
});
