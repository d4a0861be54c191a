import { beforeEach, expect, test } from "vitest";
import type { Member } from "../../src/storage/console-stores.ts";
import { type Storage, StorageError } from "../../src/storage/store.ts";
import { account } from "./records.ts";

const member = (over: Partial<Member> = {}): Member => ({
  id: "mem_1",
  accountId: "acc_1",
  email: "grace@example.com",
  addedAt: 3_000,
  addedBy: "ada@example.com",
  ...over,
});

/** What an adapter owes of the people who use another one's account. */
export function memberContract(storage: () => Storage): void {
  beforeEach(async () => {
    await storage().accounts.insert(account());
    await storage().accounts.insert(account({ id: "acc_2", email: "b@example.com" }));
  });

  test("members are listed oldest first, by account and by e-mail in any case, as written", async () => {
    const { members } = storage();
    const written = member({ email: "Grace@Example.com" });
    expect(await members.add(written)).toBe(true);
    const older = member({ id: "mem_2", email: "x@example.com", addedAt: 2_000 });
    await members.add(older);
    const elsewhere = member({ id: "mem_3", accountId: "acc_2", addedAt: 1_000 });
    await members.add(elsewhere);
    expect(await members.list("acc_1")).toEqual([older, written]);
    expect(await members.ofEmail("gRACE@example.COM")).toEqual([elsewhere, written]);
    expect(await members.list("acc_9")).toEqual([]);
    expect(await members.ofEmail("grace@example.com' OR '1'='1")).toEqual([]);
  });

  test("somebody is a member of an account once, whoever adds at once", async () => {
    const { members } = storage();
    const added = ["grace", "GRACE", "Grace"].map((name, index) =>
      members.add(member({ id: `mem_${index}`, email: `${name}@example.com` })),
    );
    expect((await Promise.all(added)).filter(Boolean)).toHaveLength(1);
    expect(await members.list("acc_1")).toHaveLength(1);
  });

  test("a member of an account that does not exist is refused", async () => {
    const added = storage().members.add(member({ accountId: "acc_9" }));
    await expect(added).rejects.toThrow(StorageError);
  });

  test("a member is removed from its own account alone", async () => {
    const { members } = storage();
    await members.add(member());
    expect(await members.remove("acc_2", "mem_1")).toBe(false);
    expect(await members.remove("acc_1", "mem_2")).toBe(false);
    expect(await members.list("acc_1")).toHaveLength(1);
    expect(await members.remove("acc_1", "mem_1")).toBe(true);
    expect(await members.remove("acc_1", "mem_1")).toBe(false);
    expect(await members.add(member())).toBe(true);
  });

  test("members end with their account, and others stay", async () => {
    const { accounts, members } = storage();
    await members.add(member());
    await members.add(member({ id: "mem_2", accountId: "acc_2" }));
    await accounts.delete("acc_1");
    expect(await members.list("acc_1")).toEqual([]);
    expect((await members.ofEmail("grace@example.com")).map(({ id }) => id)).toEqual(["mem_2"]);
  });
}
