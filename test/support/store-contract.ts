import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Storage, StorageError } from "../../src/storage/store.ts";
import { accountPageContract } from "./account-page-contract.ts";
import { alertContract } from "./alert-contract.ts";
import { auditContract, auditEntry } from "./audit-contract.ts";
import { filterContract } from "./filter-contract.ts";
import { fleetContract, fleetProcess } from "./fleet-contract.ts";
import { ledgerContract } from "./ledger-contract.ts";
import { memberContract } from "./member-contract.ts";
import { nodeContract } from "./node-contract.ts";
import { partnerContract, partnerTake } from "./partner-contract.ts";
import { account, apiKey } from "./records.ts";
import { tokenContract } from "./token-contract.ts";
import { bucket, usageContract } from "./usage-contract.ts";
import { usageSumsContract } from "./usage-sums-contract.ts";

/** What every adapter owes its callers. `open` gives an empty storage. */
export function storeContract(name: string, open: () => Promise<Storage>): void {
  describe(`${name} keeps the contract of the stores`, () => {
    let storage: Storage;
    beforeEach(async () => {
      storage = await open();
    });
    afterEach(() => storage.close());

    describe("accounts", () => accountContract(() => storage));
    describe("pages of accounts", () => accountPageContract(() => storage));
    describe("keys", () => keyContract(() => storage));
    describe("the ledger", () => ledgerContract(() => storage));
    describe("usage", () => usageContract(() => storage));
    describe("sums of usage", () => usageSumsContract(() => storage));
    describe("partner calls", () => partnerContract(() => storage));
    describe("changes", () => changeContract(() => storage));
    describe("members", () => memberContract(() => storage));
    describe("API tokens", () => tokenContract(() => storage));
    describe("the audit log", () => auditContract(() => storage));
    describe("alerts", () => alertContract(() => storage));
    describe("the fleet", () => fleetContract(() => storage));
    describe("nodes", () => nodeContract(() => storage));
    describe("filters", () => filterContract(() => storage));

    test("a closed storage refuses calls, and closing twice is no fault", async () => {
      await storage.close();
      await storage.close();
      await expect(storage.accounts.list()).rejects.toThrow(StorageError);
      await expect(storage.keys.findByHash("x")).rejects.toThrow("the storage is closed");
      await expect(storage.ledger.read("acc_1", 1)).rejects.toThrow(StorageError);
      await expect(storage.usage.record([], [])).rejects.toThrow(StorageError);
      await expect(storage.partners.take(partnerTake())).rejects.toThrow(StorageError);
      await expect(storage.members.list("acc_1")).rejects.toThrow(StorageError);
      await expect(storage.audit.append(auditEntry())).rejects.toThrow(StorageError);
      await expect(storage.alerts.list()).rejects.toThrow(StorageError);
      await expect(storage.fleet.tell(fleetProcess(), 0)).rejects.toThrow(StorageError);
    });

    test("calls in the air are answered before the storage closes", async () => {
      const inserted = storage.accounts.insert(account());
      await storage.close();
      expect(await inserted).toBe(true);
    });
  });
}

function accountContract(storage: () => Storage): void {
  test("an account is found by its e-mail in any case, as it was written", async () => {
    const { accounts } = storage();
    const written = account({ email: "Ada@Example.com", operator: true });
    expect(await accounts.insert(written)).toBe(true);
    expect(await accounts.findByEmail("aDA@exAMPLE.com")).toEqual(written);
    expect(await accounts.findByEmail("ada@example.org")).toBeUndefined();
    expect(await accounts.findById("acc_1")).toEqual(written);
    expect(await accounts.findById("acc_2")).toBeUndefined();
  });

  test("an e-mail belongs to one account, whatever its case", async () => {
    const { accounts } = storage();
    const all = ["ada@example.com", "ADA@example.com", "Ada@Example.Com"].map((email, index) =>
      accounts.insert(account({ id: `acc_${index}`, email })),
    );
    expect((await Promise.all(all)).filter(Boolean)).toHaveLength(1);
    expect(await accounts.list()).toHaveLength(1);
  });

  test("accounts are listed oldest first", async () => {
    const { accounts } = storage();
    await accounts.insert(account({ id: "acc_b", email: "b@x.org", createdAt: 20 }));
    await accounts.insert(account({ id: "acc_a", email: "a@x.org", createdAt: 30 }));
    await accounts.insert(account({ id: "acc_c", email: "c@x.org", createdAt: 10 }));
    expect((await accounts.list()).map(({ id }) => id)).toEqual(["acc_c", "acc_b", "acc_a"]);
  });

  test("an update changes what it names and nothing else", async () => {
    const { accounts } = storage();
    await accounts.insert(account());
    expect(await accounts.update("acc_1", { suspended: true })).toBe(true);
    expect(await accounts.update("acc_1", { plan: "growth" })).toBe(true);
    expect(await accounts.findByEmail("ada@example.com")).toEqual(
      account({ suspended: true, plan: "growth" }),
    );
    await accounts.update("acc_1", { suspended: false });
    expect(await accounts.list()).toEqual([account({ plan: "growth" })]);
    expect(await accounts.update("acc_2", { suspended: true })).toBe(false);
  });

  test("an account's own limits are kept, replaced both at once, and taken away with null", async () => {
    const { accounts } = storage();
    const limits = { creditsPerDay: 9_007_199_254_740_991, creditsPerSecond: null };
    await accounts.insert(account({ limits }));
    await accounts.update("acc_1", { plan: "custom" });
    expect(await accounts.list()).toEqual([account({ limits, plan: "custom" })]);
    const others = { creditsPerDay: null, creditsPerSecond: 0 };
    await accounts.update("acc_1", { limits: others });
    expect(await accounts.list()).toEqual([account({ limits: others, plan: "custom" })]);
  });

  test("an account is deleted with its keys, and what it spent and used stays", async () => {
    const { accounts, keys, ledger, usage } = storage();
    await accounts.insert(account());
    await accounts.insert(account({ id: "acc_2", email: "b@example.com" }));
    await keys.insert(apiKey());
    await keys.insert(apiKey({ id: "key_2", accountId: "acc_2" }));
    await ledger.add("acc_1", 20_000, 7);
    await usage.record([bucket({ accountId: "acc_1" })], []);

    expect(await accounts.delete("acc_1")).toBe(true);
    expect(await accounts.delete("acc_1")).toBe(false);
    expect((await accounts.list()).map(({ id }) => id)).toEqual(["acc_2"]);
    expect((await keys.list()).map(({ key }) => key.id)).toEqual(["key_2"]);
    expect(await keys.findByHash(apiKey().hash)).toBeUndefined();
    expect(await ledger.read("acc_1", 20_000)).toEqual({ used: 0, added: 7 });
    const all = { accountId: "acc_1", resolution: "day", from: 0, to: 2 ** 50 } as const;
    expect(await usage.query(all)).toHaveLength(1);
    expect(await accounts.insert(account({ id: "acc_3" }))).toBe(true);
  });
}

function keyContract(storage: () => Storage): void {
  beforeEach(async () => {
    await storage().accounts.insert(account());
  });

  test("a key is found by its hash and by its id, together with its account", async () => {
    const { keys } = storage();
    const key = apiKey({ expiresAt: 9_007_199_254_740_991 });
    expect(await keys.insert(key)).toBe(true);
    expect(await keys.findByHash(key.hash)).toEqual({ key, account: account() });
    expect(await keys.findById(key.id)).toEqual({ key, account: account() });
    expect(await keys.findByHash("another")).toBeUndefined();
    expect(await keys.findById("another")).toBeUndefined();
  });

  test("a key of an account that does not exist is refused", async () => {
    const { keys } = storage();
    await expect(keys.insert(apiKey({ accountId: "acc_9" }))).rejects.toThrow(StorageError);
  });

  test("keys are listed oldest first, of all accounts or of one", async () => {
    const { accounts, keys } = storage();
    await accounts.insert(account({ id: "acc_2", email: "b@example.com" }));
    await keys.insert(apiKey({ id: "key_2", createdAt: 5, accountId: "acc_2" }));
    await keys.insert(apiKey({ id: "key_1", createdAt: 7 }));
    await keys.insert(apiKey({ id: "key_3", createdAt: 6, revokedAt: 8 }));
    const ids = async (accountId?: string): Promise<string[]> =>
      (await keys.list(accountId)).map(({ key }) => key.id);
    expect(await ids()).toEqual(["key_2", "key_3", "key_1"]);
    expect(await ids("acc_1")).toEqual(["key_3", "key_1"]);
    expect(await ids("acc_9")).toEqual([]);
  });

  test("an account never gets more active keys than allowed, whoever asks at once", async () => {
    const { keys } = storage();
    await keys.insert(apiKey({ id: "revoked", revokedAt: 1 }));
    await keys.insert(apiKey({ id: "expired", expiresAt: 2_000 }));
    const asked = Array.from({ length: 10 }, (_, index) =>
      keys.insert(apiKey({ id: `key_${index}`, expiresAt: index % 2 ? null : 2_001 }), 4),
    );
    expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(4);
    expect(await keys.list()).toHaveLength(6);
  });

  test("revoking keeps the first time, and an unknown id is none", async () => {
    const { keys } = storage();
    await keys.insert(apiKey());
    expect(await keys.revoke("key_1", 3_000)).toEqual(apiKey({ revokedAt: 3_000 }));
    expect(await keys.revoke("key_1", 4_000)).toEqual(apiKey({ revokedAt: 3_000 }));
    expect((await keys.findById("key_1"))?.key.revokedAt).toBe(3_000);
    expect(await keys.revoke("key_2", 3_000)).toBeUndefined();
  });

  test("a key's limits and lists are kept as they were given", async () => {
    const { keys } = storage();
    const key = apiKey({
      limits: { creditsPerDay: 1_000, creditsPerSecond: 10 },
      allow: { network: ["mainnet"], agent: ['it\'s "quoted", é', ""], ip: [] },
    });
    await keys.insert(key);
    expect((await keys.findById("key_1"))?.key).toEqual(key);
    expect((await keys.list())[0]?.key).toEqual(key);
  });

  test("an update of a key changes what it names and nothing else", async () => {
    const { keys } = storage();
    await keys.insert(apiKey());
    const limits = { creditsPerDay: 5, creditsPerSecond: null };
    const allow = { method: ["eth_*"] };
    expect(await keys.update("key_1", { limits })).toBe(true);
    expect(await keys.update("key_1", { allow })).toBe(true);
    expect(await keys.update("key_1", { name: "it's mine" })).toBe(true);
    expect((await keys.findById("key_1"))?.key).toEqual(
      apiKey({ name: "it's mine", limits, allow }),
    );
    const none = { creditsPerDay: null, creditsPerSecond: null };
    await keys.update("key_1", { name: "laptop", limits: none, allow: {} });
    expect((await keys.findById("key_1"))?.key).toEqual(apiKey());
    expect(await keys.update("key_2", { limits })).toBe(false);
  });

  test("of changes to a key's lists that were read at once one is written, and the others are told", async () => {
    const { changes, keys } = storage();
    const expected = { network: ["mainnet"], method: ["eth_*", "net_*"] };
    await keys.insert(apiKey({ allow: expected }));
    const { seq } = await changes.since(undefined);
    const agents = Array.from({ length: 10 }, (_, index) => `agent${index}`);
    const written = await Promise.all(
      agents.map((agent) =>
        keys.update("key_1", { allow: { ...expected, agent: [agent] } }, { ...expected }),
      ),
    );
    expect(written.filter(Boolean)).toHaveLength(1);
    expect((await keys.findById("key_1"))?.key.allow).toEqual({
      ...expected,
      agent: [agents[written.indexOf(true)]],
    });
    expect(await keys.update("key_1", { allow: {} }, expected)).toBe(false);
    expect(await keys.update("key_2", { allow: {} }, {})).toBe(false);
    expect(await changes.since(seq)).toMatchObject({ seq: seq + 1 });
  });

  test("an update brings a key's end nearer and never puts it off", async () => {
    const { keys } = storage();
    await keys.insert(apiKey());
    const endAfter = async (expiresAt: number): Promise<number | null | undefined> => {
      await keys.update("key_1", { expiresAt });
      return (await keys.findById("key_1"))?.key.expiresAt;
    };
    expect(await endAfter(9_000)).toBe(9_000);
    expect(await endAfter(9_500)).toBe(9_000);
    expect(await endAfter(8_000)).toBe(8_000);
    await keys.update("key_1", { allow: {} });
    expect((await keys.findById("key_1"))?.key.expiresAt).toBe(8_000);
  });

  test("a last-used time moves forward only", async () => {
    const { keys } = storage();
    await keys.insert(apiKey());
    await keys.recordUse([
      { id: "key_1", at: 5_000 },
      { id: "key_9", at: 5_000 },
    ]);
    await keys.recordUse([{ id: "key_1", at: 4_000 }]);
    expect((await keys.findById("key_1"))?.key.lastUsedAt).toBe(5_000);
  });
}

function changeContract(storage: () => Storage): void {
  test("the feed tells each change of a key or an account, once and in order", async () => {
    const { accounts, changes, keys } = storage();
    await accounts.insert(account());
    await keys.insert(apiKey({ id: "key_0" }));
    const start = await changes.since(undefined);
    expect(start).toEqual({ seq: expect.any(Number), complete: false, changes: [] });

    await keys.insert(apiKey());
    await accounts.update("acc_1", { suspended: true });
    await keys.revoke("key_1", 3_000);
    await keys.update("key_0", { allow: { network: ["mainnet"] } });
    await accounts.update("acc_1", { limits: { creditsPerDay: 1, creditsPerSecond: 1 } });
    await accounts.delete("acc_1");
    const told = await changes.since(start.seq);
    expect(told).toEqual({
      seq: start.seq + 6,
      complete: true,
      changes: [
        { accountId: "acc_1", keyId: "key_1" },
        { accountId: "acc_1", keyId: null },
        { accountId: "acc_1", keyId: "key_1" },
        { accountId: "acc_1", keyId: "key_0" },
        { accountId: "acc_1", keyId: null },
        { accountId: "acc_1", keyId: null },
      ],
    });
    expect(await changes.since(told.seq)).toEqual({ seq: told.seq, complete: true, changes: [] });
  });

  test("what changes nothing is no change: a use, a refused key, a second revocation", async () => {
    const { accounts, changes, keys } = storage();
    await accounts.insert(account());
    await keys.insert(apiKey());
    await keys.revoke("key_1", 3_000);
    const { seq } = await changes.since(undefined);
    for (const at of [5_000, 5_000, 4_000]) await keys.recordUse([{ id: "key_1", at }]);
    await keys.insert(apiKey({ id: "key_2" }), 0);
    await keys.revoke("key_1", 4_000);
    await keys.update("key_9", { expiresAt: 1 });
    await accounts.update("acc_9", { suspended: true });
    await accounts.delete("acc_9");
    await storage().ledger.add("acc_1", 20_000, 1);
    expect(await changes.since(seq)).toEqual({ seq, complete: true, changes: [] });
  });

  test("a reader that is more than 1,000 changes behind is told so", async () => {
    const { accounts, changes } = storage();
    await accounts.insert(account());
    const { seq } = await changes.since(undefined);
    const updates = Array.from({ length: 1_001 }, () => accounts.update("acc_1", { plan: "free" }));
    await Promise.all(updates);
    expect(await changes.since(seq)).toEqual({ seq: seq + 1_001, complete: false, changes: [] });
    expect((await changes.since(seq + 1)).changes).toHaveLength(1_000);
  });
}
