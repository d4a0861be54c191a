import { expect, test } from "vitest";
import type { AuditEntry } from "../../src/storage/console-stores.ts";
import type { Storage } from "../../src/storage/store.ts";
import { account } from "./records.ts";

export const auditEntry = (over: Partial<AuditEntry> = {}): AuditEntry => ({
  id: "aud_1",
  at: 4_000,
  accountId: "acc_1",
  actor: { kind: "user", email: "ada@example.com" },
  action: "key.create",
  target: "key_1",
  detail: { name: 'it\'s "mine", é', count: 3, own: true, none: null },
  ip: "192.0.2.1",
  agent: "Mozilla/5.0",
  ...over,
});

/** What an adapter owes of the log of changes. */
export function auditContract(storage: () => Storage): void {
  const append = async (...entries: readonly Partial<AuditEntry>[]): Promise<void> => {
    for (const entry of entries) await storage().audit.append(auditEntry(entry));
  };
  const ids = async (
    request: Parameters<Storage["audit"]["page"]>[0],
  ): Promise<readonly string[]> =>
    (await storage().audit.page(request)).entries.map(({ id }) => id);

  test("entries are read as they were written, latest first, of one account or of all", async () => {
    const bare: Partial<AuditEntry> = {
      id: "aud_3",
      accountId: null,
      actor: { kind: "system", email: null },
      target: null,
      detail: {},
      ip: null,
      agent: null,
    };
    await append({}, { id: "aud_2", accountId: "acc_2" }, bare, { id: "aud_4" });
    expect(await ids({ limit: 9 })).toEqual(["aud_4", "aud_3", "aud_2", "aud_1"]);
    expect(await storage().audit.page({ accountId: "acc_1", limit: 9 })).toEqual({
      entries: [auditEntry({ id: "aud_4" }), auditEntry()],
      next: null,
    });
    expect((await storage().audit.page({ limit: 9 })).entries[1]).toEqual(auditEntry(bare));
    expect(await ids({ accountId: "acc_1' OR 1=1 --", limit: 9 })).toEqual([]);
  });

  test("a page goes on where the last one ended, whatever was written meanwhile", async () => {
    const five = ["1", "2", "3", "4", "5"].map((n) => ({ id: `aud_${n}` }));
    await append(...five);
    const first = await storage().audit.page({ accountId: "acc_1", limit: 2 });
    expect(first.entries.map(({ id }) => id)).toEqual(["aud_5", "aud_4"]);
    await append({ id: "aud_6" });
    const before = first.next ?? "";
    expect(await ids({ accountId: "acc_1", before, limit: 9 })).toEqual([
      "aud_3",
      "aud_2",
      "aud_1",
    ]);
    expect(await ids({ before, limit: 2 })).toEqual(["aud_3", "aud_2"]);
    expect(await storage().audit.page({ before, limit: 3 })).toMatchObject({ next: null });
  });

  test("a text that is no page's end gets an empty page", async () => {
    await append({});
    for (const before of ["", "x", "-1", "1 OR 1=1", "9".repeat(400)]) {
      expect(await storage().audit.page({ before, limit: 9 })).toEqual({ entries: [], next: null });
    }
  });

  test("the log of an account outlives it, and is pruned as the days of the usage", async () => {
    await storage().accounts.insert(account());
    await append({ at: 1_999 }, { id: "aud_2", at: 2_000 });
    await storage().accounts.delete("acc_1");
    expect(await ids({ accountId: "acc_1", limit: 9 })).toEqual(["aud_2", "aud_1"]);
    await storage().usage.prune({ minute: 9_000, hour: 9_000, day: 2_000 });
    expect(await ids({ limit: 9 })).toEqual(["aud_2"]);
  });
}
