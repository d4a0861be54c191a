import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { takeRequest } from "../../../test/support/ledger-contract.ts";
import { dayOf } from "../../lib/day.ts";
import { openMemory } from "../../storage/memory.ts";
import type { Account, Storage } from "../../storage/store.ts";
import { CommandError } from "../output.ts";
import {
  creditAccount,
  deleteAccount,
  limitAccount,
  repairAccount,
  setPlan,
  setSuspended,
} from "./account-changes.ts";
import { type AccountParts, createAccount, showAccount } from "./accounts.ts";
import { createKey } from "./keys.ts";

const NOW = Date.UTC(2026, 10, 21, 12, 40);
const email = "ada@example.com";

let parts: AccountParts & { readonly storage: Storage };
beforeEach(async () => {
  parts = {
    storage: openMemory(),
    plans: {
      free: { dailyCredits: 3_000_000, creditsPerSecond: 500, maxKeys: 5 },
      growth: { dailyCredits: 200_000_000, creditsPerSecond: 40_000 },
      custom: { dailyCredits: 0, creditsPerSecond: 0 },
    },
    clock: { now: () => NOW, monotonic: () => 0 },
    random: randomBytes,
  };
  await createAccount(parts, { email, plan: "free", operator: false });
});

const stored = async (): Promise<Account | undefined> => parts.storage.accounts.findByEmail(email);
const changes = async () => (await parts.storage.changes.since(0)).seq;

describe("accounts set-plan", () => {
  test("moves the account, which is told to every process", async () => {
    const before = await changes();
    const { json, text } = await setPlan(parts, { email: "ADA@example.com", plan: "growth" });
    expect(json).toMatchObject({ email, plan: "growth" });
    expect(text).toBe(
      "ada@example.com is on plan growth, before on free: every running process follows within a second",
    );
    expect(await stored()).toMatchObject({ plan: "growth" });
    expect(await changes()).toBe(before + 1);
  });

  test("says that own limits stay, and what a plan without credits needs", async () => {
    const poor = await setPlan(parts, { email, plan: "custom" });
    expect(poor.text).toContain("tollgate accounts limit ada@example.com --daily N --per-second N");
    await limitAccount(parts, { email, daily: "5000", perSecond: "100" });
    const { text } = await setPlan(parts, { email, plan: "custom" });
    expect(text).toContain("its own limits stay: credits a day: 5,000; credits a second: 100");
    expect(text).not.toContain("no credits yet");
  });

  test("refuses a plan or an account that does not exist, and changes nothing", async () => {
    await expect(setPlan(parts, { email, plan: "gold" })).rejects.toThrow(
      'there is no plan "gold"; the plans are free, growth, custom',
    );
    await expect(setPlan(parts, { email: "eve@example.com", plan: "free" })).rejects.toThrow(
      'there is no account of "eve@example.com"',
    );
    expect(await stored()).toMatchObject({ plan: "free" });
  });
});

describe("accounts limit", () => {
  test("sets either limit or both, and 0 gives the plan's back", async () => {
    const limits = async (request: { daily?: string; perSecond?: string }) =>
      ((await limitAccount(parts, { email, ...request })).json as Account).limits;
    expect(await limits({ daily: "5000" })).toEqual({
      creditsPerDay: 5000,
      creditsPerSecond: null,
    });
    expect(await limits({ perSecond: "10" })).toEqual({
      creditsPerDay: 5000,
      creditsPerSecond: 10,
    });
    expect(await limits({ daily: "0" })).toEqual({ creditsPerDay: null, creditsPerSecond: 10 });
    expect(await stored()).toMatchObject({
      limits: { creditsPerDay: null, creditsPerSecond: 10 },
    });
  });

  test("refuses to change nothing", async () => {
    await expect(limitAccount(parts, { email })).rejects.toThrow("say which limit: --daily N");
  });

  test.each(["", "-1", "1.5", "1e3", "ten", "none", "1000000000001", "9".repeat(20)])(
    "refuses %j: it is no number of credits",
    async (daily) => {
      const failure = limitAccount(parts, { email, daily });
      await expect(failure).rejects.toThrow(CommandError);
      await expect(failure).rejects.toThrow(`${JSON.stringify(daily)} is no number of credits`);
    },
  );
});

describe("accounts credit", () => {
  test("adds to today's balance alone, once each time", async () => {
    await creditAccount(parts, { email, credits: "1000" });
    const { json, text } = await creditAccount(parts, { email, credits: "500" });
    expect(json).toEqual({
      account: email,
      credits: 500,
      added: 1500,
      day: "2026-11-21",
      limit: 3_001_500,
      used: 0,
      left: 3_001_500,
      resetSeconds: 40_800,
    });
    expect(text).toBe(
      "500 credits added to 2026-11-21 (UTC) of ada@example.com: 3,001,500 left of 3,001,500",
    );
    const id = (await stored())?.id ?? "";
    expect(await parts.storage.ledger.read(id, dayOf(NOW))).toEqual({ used: 0, added: 1500 });
    expect(await parts.storage.ledger.read(id, dayOf(NOW) + 1)).toEqual({ used: 0, added: 0 });
  });

  test("refuses nothing, less than nothing and what is no number", async () => {
    for (const credits of ["0", "-5", "many"]) {
      await expect(creditAccount(parts, { email, credits })).rejects.toThrow(
        "give a whole number from 1 to 1,000,000,000,000",
      );
    }
  });
});

describe("accounts repair", () => {
  test("forgets later days of the account and its keys, and today has a balance of its own", async () => {
    const { json: key } = await createKey(parts, { account: email, name: "backend" });
    const [id = "", keyId] = [(await stored())?.id, (key as { id: string }).id];
    const today = dayOf(NOW);
    const figures = { limit: 3_000_000, perSecond: 500, process: "one", now: NOW };
    const take = (owner: string, day: number, credits: number) =>
      parts.storage.ledger.take({
        ...{ ...figures, owner, day, want: credits, least: credits },
        pool: today + 400,
        number: takeRequest().number,
      });
    await take(id, today, 200);
    await take(id, today + 400, 80);
    await take(keyId, today + 1, 1000);
    await take("another", today + 1, 5);
    const { json, text } = await repairAccount(parts, { email: "ADA@example.com" });
    expect(json).toEqual({
      account: email,
      ...{ day: "2026-11-21", limit: 3_000_000, used: 200, left: 2_999_800, resetSeconds: 40_800 },
      forgotten: [
        { owner: keyId, day: "2026-11-22", used: 1000 },
        { owner: id, day: "2027-12-26", used: 80 },
      ],
    });
    expect(text.split("\n")).toEqual([
      "today is 2026-11-21 (UTC): ada@example.com has 2,999,800 of 3,000,000 credits left",
      `forgotten: 2026-11-22, of which key ${keyId} had used 1,000 credits`,
      "forgotten: 2027-12-26, of which the account had used 80 credits",
    ]);
    expect((await parts.storage.ledger.read("another", today + 1)).used).toBe(5);
    const again = await repairAccount(parts, { email });
    expect(again.text).toContain("no later day was there to be forgotten");
    await expect(repairAccount(parts, { email: "eve@example.com" })).rejects.toThrow(
      "there is no account of",
    );
  });
});

describe("accounts suspend and resume", () => {
  test("suspend, and resume, and doing either again is no fault", async () => {
    const suspended = await setSuspended(parts, { email, suspended: true });
    expect(suspended.json).toMatchObject({ suspended: true });
    expect(suspended.text).toContain("its keys get 403: every running process follows");
    expect((await setSuspended(parts, { email, suspended: true })).text).toContain(
      "was suspended before",
    );
    expect(await stored()).toMatchObject({ suspended: true });
    await setSuspended(parts, { email, suspended: false });
    expect(await stored()).toMatchObject({ suspended: false });
  });
});

describe("accounts delete", () => {
  test("deletes the account and its keys, and its ledger stays", async () => {
    await createKey(parts, { account: email, name: "backend" });
    const id = (await stored())?.id ?? "";
    await creditAccount(parts, { email, credits: "10" });
    const { json } = await deleteAccount(parts, { email });
    expect(json).toEqual({ id, email, keys: 1, deleted: true });
    expect(await stored()).toBeUndefined();
    expect(await parts.storage.keys.list()).toEqual([]);
    expect(await parts.storage.ledger.read(id, dayOf(NOW))).toEqual({ used: 0, added: 10 });
    await expect(deleteAccount(parts, { email })).rejects.toThrow("there is no account of");
  });

  test("by two at once is done by one, and the other is told", async () => {
    const gone = { ...parts.storage.accounts, delete: async () => false };
    await expect(
      deleteAccount({ ...parts, storage: { ...parts.storage, accounts: gone } }, { email }),
    ).rejects.toThrow("was deleted by another command");
  });
});

test("accounts show gives the account, its limits, its day and its keys", async () => {
  await createKey(parts, { account: email, name: "backend" });
  await createKey(parts, { account: email, name: "old", expires: "2026-11-20" });
  await limitAccount(parts, { email, perSecond: "100" });
  await creditAccount(parts, { email, credits: "500" });
  const { json, text } = await showAccount(parts, { email });
  expect(json).toMatchObject({
    email,
    plan: "free",
    limits: { creditsPerDay: null, creditsPerSecond: 100 },
    today: { day: "2026-11-21", limit: 3_000_500, used: 0, left: 3_000_500, resetSeconds: 40_800 },
    keys: { all: 2, active: 1 },
  });
  expect(text.split("\n")).toEqual([
    expect.stringMatching(
      /^account acc_\w+ of ada@example.com, active, created 2026-11-21 12:40 UTC$/,
    ),
    "plan free; credits a day: the plan's; credits a second: 100",
    "2026-11-21: 0 of 3,000,500 credits used, 3,000,500 left",
    "2 keys, 1 of them active",
  ]);
});
