import { expect, test } from "vitest";
import type { Account, AccountPageRequest, Storage } from "../../src/storage/store.ts";
import { account } from "./records.ts";

/** Two of each moment, so that the time alone does not order them. */
const listed = (n: number): Account =>
  account({
    id: `acc_${String(n).padStart(2, "0")}`,
    email: `User${n}@example.com`,
    createdAt: 1_000 + Math.floor(n / 2),
  });

/** What an adapter owes of accounts that are listed page by page. */
export function accountPageContract(storage: () => Storage): void {
  const ids = async (request: AccountPageRequest): Promise<readonly string[]> =>
    (await storage().accounts.page(request)).accounts.map(({ id }) => id);
  const add = async (...numbers: readonly number[]): Promise<void> => {
    for (const n of numbers) await storage().accounts.insert(listed(n));
  };

  test("page by page each account comes once, oldest first", async () => {
    await add(4, 2, 0, 3, 1, 6, 5);
    const seen: Account[] = [];
    let after: string | undefined;
    for (let page = 0; page < 4; page += 1) {
      const { accounts, next } = await storage().accounts.page({ after, limit: 2 });
      seen.push(...accounts);
      after = next ?? undefined;
      expect(next === null).toBe(page === 3);
    }
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6].map(listed));
    expect(await storage().accounts.page({ limit: 7 })).toMatchObject({ next: null });
  });

  test("a page goes on where the last one ended, whoever comes or goes meanwhile", async () => {
    await add(2, 4, 6);
    const { next } = await storage().accounts.page({ limit: 2 });
    await add(1, 3, 5, 7);
    await storage().accounts.delete("acc_04");
    expect(await ids({ after: next ?? "", limit: 9 })).toEqual(["acc_05", "acc_06", "acc_07"]);
  });

  test("a search finds a part of the e-mail or the id in any case, and pages too", async () => {
    await add(1, 2, 11, 12);
    expect(await ids({ search: "uSER1", limit: 9 })).toEqual(["acc_01", "acc_11", "acc_12"]);
    expect(await ids({ search: "C_02", limit: 9 })).toEqual(["acc_02"]);
    expect(await ids({ search: "", limit: 9 })).toHaveLength(4);
    const first = await storage().accounts.page({ search: "user1", limit: 2 });
    const after = first.next ?? "";
    expect(await ids({ search: "user1", after, limit: 2 })).toEqual(["acc_12"]);
  });

  test("each character of a search stands for itself", async () => {
    await add(1);
    await storage().accounts.insert(account({ id: "acc_x", email: "a%b'c_d@example.com" }));
    for (const search of ["%b", "b'c", "c_d@"])
      expect(await ids({ search, limit: 9 })).toEqual(["acc_x"]);
    const none = [
      "_ser",
      "%%",
      "u*",
      "[U]ser",
      "\\",
      "' OR 1=1 --",
      "\0",
      "é",
      "x".repeat(100_000),
    ];
    for (const search of none) {
      expect(await ids({ search, limit: 9 })).toEqual([]);
    }
  });

  test("a text that is no page's end gets an empty page", async () => {
    await add(1);
    for (const after of ["", "1", "x.acc_1", "1.acc_1' OR 1=1", "-1.", "9".repeat(400), "1e3.a"]) {
      expect(await storage().accounts.page({ after, limit: 9 })).toEqual({
        accounts: [],
        next: null,
      });
    }
  });
}
