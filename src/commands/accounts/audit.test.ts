import { randomBytes } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { openMemory } from "../../storage/memory.ts";
import type { Storage } from "../../storage/store.ts";
import type { Output } from "../output.ts";
import {
  creditAccount,
  deleteAccount,
  limitAccount,
  repairAccount,
  setPlan,
  setSuspended,
} from "./account-changes.ts";
import { type AccountParts, createAccount, listAccounts, showAccount } from "./accounts.ts";
import { allowKey } from "./key-allow.ts";
import { limitKey, rotateKey } from "./key-changes.ts";
import { createKey, listKeys, revokeKey } from "./keys.ts";

const email = "ada@example.com";
const NOW = Date.UTC(2026, 10, 21, 12, 40);

let parts: AccountParts & { readonly storage: Storage; readonly networks: readonly string[] };
beforeEach(async () => {
  parts = {
    storage: openMemory(),
    plans: { free: { dailyCredits: 3_000_000, maxKeys: 2 }, growth: {} },
    networks: ["mainnet"],
    clock: { now: () => NOW, monotonic: () => 0 },
    random: randomBytes,
  };
  await createAccount(parts, { email, plan: "free", operator: false });
});

type Made = { readonly id: string; readonly key: string };
const made = async (output: Promise<Output>): Promise<Made> => (await output).json as Made;
const entries = async () => (await parts.storage.audit.page({ limit: 99 })).entries.toReversed();
const told = async () =>
  (await entries()).map(({ action, target, detail }) => [action, target, detail]);

test("every change of an account or a key is in the audit log, and no key is", async () => {
  const account = await parts.storage.accounts.findByEmail(email);
  const id = account?.id ?? "";
  await setPlan(parts, { email, plan: "growth" });
  await limitAccount(parts, { email, perSecond: "9" });
  await creditAccount(parts, { email, credits: "500" });
  await repairAccount(parts, { email });
  await setSuspended(parts, { email, suspended: true });
  await setSuspended(parts, { email, suspended: false });
  const old = await made(createKey(parts, { account: email, name: "web", expires: "2027-01-02" }));
  await limitKey(parts, { id: old.id, daily: "7" });
  await allowKey(parts, { id: old.id, entries: ["network=mainnet", "ip=::1"], remove: false });
  await allowKey(parts, { id: old.id, entries: ["network=mainnet", "ip=::1"], remove: true });
  await allowKey(parts, { id: old.id, entries: [`agent=${old.key}`], remove: false });
  const next = await made(rotateKey(parts, { id: old.id, overlap: "1h" }));
  await revokeKey(parts, { id: old.id });
  await deleteAccount(parts, { email });

  const replacedEnds = "2026-11-21T13:40:00.000Z";
  expect(await told()).toEqual([
    ["account.create", id, { email, plan: "free", operator: false }],
    ["account.plan", id, { before: "free", plan: "growth" }],
    ["account.limits", id, { creditsPerDay: null, creditsPerSecond: 9 }],
    ["account.credit", id, { credits: 500 }],
    ["account.repair", id, { days: 0, credits: 0 }],
    ["account.suspend", id, {}],
    ["account.resume", id, {}],
    ["key.create", old.id, { name: "web", expires: "2027-01-02" }],
    ["key.limits", old.id, { creditsPerDay: 7, creditsPerSecond: null }],
    ["key.allow", old.id, { network: "mainnet", ip: "::1" }],
    ["key.allow", old.id, { lists: "none" }],
    ["key.allow", old.id, { agent: "tg_[redacted]" }],
    ["key.rotate", next.id, { replaces: old.id, replacedEnds }],
    ["key.revoke", old.id, { name: "web" }],
    ["account.delete", id, { email, keys: 2 }],
  ]);
  for (const entry of await entries()) {
    expect(entry).toMatchObject({ accountId: id, at: NOW, ip: null, agent: null });
    expect(entry.actor).toEqual({ kind: "command", email: null });
  }
  const text = JSON.stringify(await entries());
  for (const { key } of [old, next]) expect(text).not.toContain(key.slice(3));
});

test("what changes nothing is not in the audit log: a refusal, a look, a thing done before", async () => {
  const one = await made(createKey(parts, { account: email, name: "one" }));
  await createKey(parts, { account: email, name: "two" });
  const { length } = await entries();
  const refused = [
    createAccount(parts, { email, plan: "free", operator: true }),
    setPlan(parts, { email, plan: "gold" }),
    creditAccount(parts, { email, credits: "0" }),
    createKey(parts, { account: email, name: "three" }),
    rotateKey(parts, { id: one.id, overlap: "9y" }),
    limitKey(parts, { id: "key_9", daily: "1" }),
    allowKey(parts, { id: one.id, entries: ["network=nowhere"], remove: false }),
    deleteAccount(parts, { email: "b@example.com" }),
  ];
  for (const { status } of await Promise.allSettled(refused)) expect(status).toBe("rejected");
  await setSuspended(parts, { email, suspended: false });
  await allowKey(parts, { id: one.id, entries: [], remove: false });
  await Promise.all([listAccounts(parts), showAccount(parts, { email }), listKeys(parts, {})]);
  await parts.storage.keys.revoke(one.id, NOW - 1);
  await revokeKey(parts, { id: one.id });
  expect(await entries()).toHaveLength(length);
});
