import { beforeEach, expect, test } from "vitest";
import type { ApiToken } from "../../src/storage/console-stores.ts";
import { type Storage, StorageError } from "../../src/storage/store.ts";
import { account } from "./records.ts";

const MOST = 9;

export const apiToken = (over: Partial<ApiToken> = {}): ApiToken => ({
  id: "tok_1",
  accountId: "acc_1",
  name: "billing",
  hash: `hash of ${over.id ?? "tok_1"}`,
  prefix: "tgt_6abc",
  scopes: ["keys:read", "usage:read"],
  createdAt: 3_000,
  createdBy: "ada@example.com",
  expiresAt: null,
  lastUsedAt: null,
  ...over,
});

/** What an adapter owes of the tokens for the dashboard's API. */
export function tokenContract(storage: () => Storage): void {
  beforeEach(async () => {
    await storage().accounts.insert(account());
    await storage().accounts.insert(account({ id: "acc_2", email: "b@example.com" }));
  });

  test("a token is found by its hash as it was written", async () => {
    const { tokens } = storage();
    const written = apiToken({ expiresAt: 9_000, lastUsedAt: 4_000 });
    expect(await tokens.insert(written, MOST)).toBe(true);
    expect(await tokens.findByHash(written.hash)).toEqual(written);
    expect(await tokens.findByHash("' OR '1'='1")).toBeUndefined();
  });

  test("an account's tokens are listed oldest first, and no other's", async () => {
    const { tokens } = storage();
    const young = apiToken({ id: "tok_1", createdAt: 5_000 });
    const old = apiToken({ id: "tok_2", createdAt: 4_000 });
    for (const one of [young, old, apiToken({ id: "tok_3", accountId: "acc_2" })])
      await tokens.insert(one, MOST);
    expect(await tokens.list("acc_1")).toEqual([old, young]);
    expect(await tokens.list("acc_9")).toEqual([]);
  });

  test("an account has no more than its most, whoever makes them at once", async () => {
    const { tokens } = storage();
    await tokens.insert(apiToken({ id: "tok_other", accountId: "acc_2" }), MOST);
    const made = ["a", "b", "c", "d"].map((id) => tokens.insert(apiToken({ id }), 2));
    expect((await Promise.all(made)).filter(Boolean)).toHaveLength(2);
    expect(await tokens.list("acc_1")).toHaveLength(2);
  });

  test("a token of an account that does not exist is refused", async () => {
    const made = storage().tokens.insert(apiToken({ accountId: "acc_9" }), MOST);
    await expect(made).rejects.toThrow(StorageError);
  });

  test("a token is removed from its own account alone", async () => {
    const { tokens } = storage();
    await tokens.insert(apiToken(), MOST);
    expect(await tokens.remove("acc_2", "tok_1")).toBe(false);
    expect(await tokens.remove("acc_1", "tok_2")).toBe(false);
    expect(await tokens.remove("acc_1", "tok_1")).toBe(true);
    expect(await tokens.remove("acc_1", "tok_1")).toBe(false);
    expect(await tokens.findByHash("hash of tok_1")).toBeUndefined();
  });

  test("the time of the last use moves forward alone", async () => {
    const { tokens } = storage();
    await tokens.insert(apiToken(), MOST);
    await tokens.recordUse("tok_1", 7_000);
    await tokens.recordUse("tok_1", 6_000);
    await tokens.recordUse("tok_9", 8_000);
    expect(await tokens.list("acc_1")).toEqual([apiToken({ lastUsedAt: 7_000 })]);
  });

  test("tokens end with their account, and others stay", async () => {
    const { accounts, tokens } = storage();
    await tokens.insert(apiToken(), MOST);
    await tokens.insert(apiToken({ id: "tok_2", accountId: "acc_2" }), MOST);
    await accounts.delete("acc_1");
    expect(await tokens.findByHash("hash of tok_1")).toBeUndefined();
    expect(await tokens.list("acc_2")).toHaveLength(1);
  });
}
