import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/written.ts";
import { hashApiKey, isApiKey } from "../../access/api-key.ts";
import { EXPLORER_KEY_NAME } from "../../access/explorer-key.ts";
import { openMemory } from "../../storage/memory.ts";
import { openSqlite } from "../../storage/sqlite/client.ts";
import { CommandError } from "../output.ts";
import { createAccount } from "./accounts.ts";
import { createKey, type KeyParts, type KeyRequest, listKeys, revokeKey } from "./keys.ts";

let now = 0;
let parts: KeyParts;
beforeEach(async () => {
  now = Date.UTC(2026, 10, 21, 12, 40);
  parts = {
    storage: openMemory(),
    plans: { free: { maxKeys: 3 }, growth: {} },
    clock: { now: () => now, monotonic: () => 0 },
    random: randomBytes,
  };
  await createAccount(parts, { email: "ada@example.com", plan: "free", operator: false });
});

type Made = { readonly id: string; readonly key: string };
const request = (over: Partial<KeyRequest> = {}): KeyRequest => ({
  account: "ada@example.com",
  name: "backend",
  ...over,
});
const create = async (over: Partial<KeyRequest> = {}): Promise<Made> =>
  (await createKey(parts, request(over))).json as Made;

describe("keys create", () => {
  test("gives the id and the key, and the store has its hash", async () => {
    const made = await create();
    expect(Object.keys(made)).toEqual(["id", "key"]);
    expect(made.id).toMatch(/^key_\w{8,11}$/);
    expect(isApiKey(made.key)).toBe(true);
    const record = await parts.storage.keys.findByHash(hashApiKey(made.key));
    expect(record?.key).toMatchObject({ id: made.id, name: "backend", expiresAt: null });
    expect(record?.account.email).toBe("ada@example.com");
  });

  test("shows the key once in the text, and nothing shows it later", async () => {
    const output = await createKey(parts, request());
    const { id, key } = output.json as Made;
    expect(output.text.split(key)).toHaveLength(2);
    const later = [await listKeys(parts, {}), await revokeKey(parts, { id })];
    expect(JSON.stringify(later)).toContain(key.slice(0, 8));
    expect(JSON.stringify(later)).not.toContain(key.slice(0, 9));
  });

  test("hashes with the pepper where there is one", async () => {
    parts = { ...parts, pepper: "pepper" };
    const { key } = await create();
    expect(await parts.storage.keys.findByHash(hashApiKey(key))).toBeUndefined();
    expect(await parts.storage.keys.findByHash(hashApiKey(key, "pepper"))).toBeDefined();
  });

  test("counts only keys that can be used against the plan's maxKeys", async () => {
    const first = await create();
    await create({ expires: "2026-11-22" });
    await create();
    await expect(create()).rejects.toThrow(
      "ada@example.com has 3 active keys, as many as plan free allows",
    );
    await revokeKey(parts, { id: first.id });
    await create();
    await expect(create()).rejects.toThrow(CommandError);
    now = Date.UTC(2026, 10, 22);
    await create();
    await createAccount(parts, { email: "b@example.com", plan: "growth", operator: false });
    for (let n = 0; n < 10; n += 1) await create({ account: "B@example.com" });
  });

  test("does not count the explorer's key, and gives nobody its name", async () => {
    const { key } = await create();
    const record = await parts.storage.keys.findByHash(hashApiKey(key));
    if (record === undefined) throw new Error("the key is not there");
    const own = { ...record.key, id: "key_explorer", hash: "own", name: EXPLORER_KEY_NAME };
    await parts.storage.keys.insert(own);
    await create();
    await create();
    await expect(create()).rejects.toThrow("ada@example.com has 3 active keys");
    await expect(create({ name: ` ${EXPLORER_KEY_NAME}` })).rejects.toThrow("choose another name");
  });

  test("refuses an account that does not exist, or whose plan is gone", async () => {
    await expect(create({ account: "eve@example.com" })).rejects.toThrow(
      'there is no account of "eve@example.com"; see: tollgate accounts list',
    );
    parts = { ...parts, plans: { growth: {} } };
    await expect(create()).rejects.toThrow(
      'the account\'s plan "free" is not in the configuration; its plans are growth',
    );
  });

  test("takes a date, and the key ends when that day begins in UTC", async () => {
    const { key } = await create({ expires: "2026-12-31" });
    const record = await parts.storage.keys.findByHash(hashApiKey(key));
    expect(record?.key.expiresAt).toBe(Date.UTC(2026, 11, 31));
    expect((await createKey(parts, request({ expires: "2024-02-29" }))).text).toContain(
      "until 2024-02-29 00:00 UTC, which has passed: it is refused",
    );
  });

  test.each([
    "",
    "tomorrow",
    "2026-02-30",
    "2025-02-29",
    "2026-13-01",
    "2026-1-1",
    "31.12.2026",
    "2026-12-31T00:00",
    " 2026-12-31",
    "+12026-12-31",
    "0",
  ])("refuses %j: it is no date", async (expires) => {
    await expect(create({ expires })).rejects.toThrow(
      `${JSON.stringify(expires)} is no date; one looks like 2026-12-31`,
    );
  });

  test.each(["", "  ", "two\nlines", "\u001b[31mred", "n".repeat(101)])(
    "refuses the name %j",
    async (name) => {
      await expect(create({ name })).rejects.toThrow(
        "a key's name is 1 to 100 printable characters",
      );
    },
  );
});

describe("keys list", () => {
  test("lists the keys of all accounts or of one, with their states", async () => {
    await createAccount(parts, { email: "b@example.com", plan: "growth", operator: false });
    const revoked = await create({ name: "old laptop" });
    now += 1;
    const expired = await create({ name: "trial", expires: "2026-11-22" });
    now += 1;
    const active = await create({ account: "b@example.com", expires: "2027-01-01" });
    await revokeKey(parts, { id: revoked.id });
    now = Date.UTC(2026, 10, 22);
    await parts.storage.keys.recordUse([{ id: active.id, at: now }]);

    const all = await listKeys(parts, {});
    expect(all.json).toMatchObject([{ id: revoked.id }, { id: expired.id }, { id: active.id }]);
    expect(all.text.split("\n").map((line) => /revoked|expired|active/.exec(line)?.[0])).toEqual([
      undefined,
      "revoked",
      "expired",
      "active",
    ]);
    const one = await listKeys(parts, { account: "b@example.com" });
    expect(one.json).toEqual([
      {
        id: active.id,
        account: "b@example.com",
        name: "backend",
        prefix: active.key.slice(0, 8),
        created: "2026-11-21T12:40:00.002Z",
        lastUsed: "2026-11-22T00:00:00.000Z",
        expires: "2027-01-01T00:00:00.000Z",
        revoked: null,
        limits: { creditsPerDay: null, creditsPerSecond: null },
        allow: {},
      },
    ]);
  });

  test("says what to do where there are none, and refuses an unknown account", async () => {
    expect((await listKeys(parts, {})).text).toContain("tollgate keys create --account EMAIL");
    await expect(listKeys(parts, { account: "eve@example.com" })).rejects.toThrow(CommandError);
  });
});

describe("keys revoke", () => {
  test("revokes, and again is no fault and keeps the first time", async () => {
    const { id } = await create();
    const first = await revokeKey(parts, { id });
    expect(first.json).toEqual({ id, revoked: "2026-11-21T12:40:00.000Z" });
    expect(first.text).toContain("within a second");
    now += 3_600_000;
    const second = await revokeKey(parts, { id });
    expect(second.json).toEqual(first.json);
    expect(second.text).toContain("was revoked before, at 2026-11-21 12:40 UTC");
  });

  test("refuses an unknown id", async () => {
    await expect(revokeKey(parts, { id: "key_x" })).rejects.toThrow(
      'there is no key "key_x"; see: tollgate keys list',
    );
  });

  test("refuses the key itself without repeating it", async () => {
    const { key } = await create();
    const failure = revokeKey(parts, { id: key });
    await expect(failure).rejects.toThrow("a key is named by its id");
    await expect(failure).rejects.not.toThrow(key.slice(4));
  });
});

test("no key and no pepper stands in the files of the database", async () => {
  const folder = temporaryFolder("keys");
  const storage = await openSqlite(join(folder, "tollgate.db"));
  parts = { ...parts, storage, pepper: "a pepper of the test" };
  await createAccount(parts, { email: "ada@example.com", plan: "growth", operator: false });
  const made: Made[] = [];
  for (let n = 0; n < 20; n += 1) made.push(await create());
  await revokeKey(parts, { id: made[0]?.id ?? "" });
  // The write-ahead log too: it is there as long as the storage is open.
  const files = readdirSync(folder).map((file) => readFileSync(join(folder, file)));
  expect(files.length).toBeGreaterThan(1);
  expect(files.some((bytes) => bytes.includes(made[0]?.id ?? ""))).toBe(true);
  for (const bytes of files) {
    expect(bytes.includes("a pepper of the test")).toBe(false);
    for (const { key } of made) expect(bytes.includes(key.slice(10))).toBe(false);
  }
  await storage.close();
});
