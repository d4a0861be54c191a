import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { openMemory } from "../../storage/memory.ts";
import { CommandError, type Output } from "../output.ts";
import { type AccountParts, type AccountRequest, createAccount, listAccounts } from "./accounts.ts";

const NOW = Date.UTC(2026, 10, 21, 12, 40);

let parts: AccountParts;
beforeEach(() => {
  parts = {
    storage: openMemory(),
    plans: { free: { dailyCredits: 3_000_000, creditsPerSecond: 500 }, growth: {} },
    clock: { now: () => NOW, monotonic: () => 0 },
    random: randomBytes,
  };
});

const create = (over: Partial<AccountRequest> = {}): Promise<Output> =>
  createAccount(parts, { email: "Ada@Example.com", plan: "free", operator: false, ...over });

describe("accounts create", () => {
  test("makes an account that is listed, its e-mail as it was written", async () => {
    const made = await create({ operator: true });
    expect(made.json).toEqual({
      id: expect.stringMatching(/^acc_\w{8,11}$/),
      email: "Ada@Example.com",
      plan: "free",
      operator: true,
      suspended: false,
      limits: { creditsPerDay: null, creditsPerSecond: null },
      created: "2026-11-21T12:40:00.000Z",
    });
    expect(made.text).toMatch(/^account acc_\w+ of Ada@Example.com on plan free, an operator$/);
    const listed = await listAccounts(parts);
    expect(listed.json).toEqual([made.json]);
    expect(listed.text).toMatch(/^ID +E-MAIL +PLAN +STATE +CREATED \(UTC\)\nacc_\w+ +Ada@.*12:40$/);
  });

  test("says what an account needs whose plan has no credits", async () => {
    const { text } = await create({ plan: "growth", email: "a@b" });
    expect(text).toContain(
      "it has no credits yet, because the plan has none; give it its own with: tollgate accounts limit a@b --daily N --per-second N",
    );
  });

  test("refuses a plan that the configuration does not have, and names those it has", async () => {
    for (const plan of ["gold", "", "constructor", "__proto__", "Free"]) {
      const failure = create({ plan });
      await expect(failure).rejects.toThrow(CommandError);
      await expect(failure).rejects.toThrow(`plan "${plan}"; the plans are free, growth`);
    }
  });

  test("refuses an e-mail that has an account already, in any case", async () => {
    await create();
    await expect(create({ email: "ADA@example.COM" })).rejects.toThrow(
      "there is an account of ADA@example.COM already",
    );
  });

  test.each([
    "",
    "ada",
    "ada@",
    "@example.com",
    "ada@example..com",
    "ada@-example.com",
    "ada @example.com",
    "ada@example.com\n",
    "a@b@c",
    "ädä@example.com",
    `${"a".repeat(250)}@x.org`,
  ])("refuses %j: it is no e-mail address", async (email) => {
    const failure = create({ email });
    await expect(failure).rejects.toThrow(CommandError);
    await expect(failure).rejects.toThrow("one looks like ada@example.com");
  });

  test.each(["a@b", "o'neil+tollgate@sub.example.co.uk", "demo@localhost"])(
    "takes %j",
    async (email) => expect((await create({ email })).json).toMatchObject({ email }),
  );
});

test("accounts list says what to do where there are none", async () => {
  const { json, text } = await listAccounts(parts);
  expect(json).toEqual([]);
  expect(text).toContain("tollgate accounts create EMAIL --plan PLAN");
});
