import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { hashApiKey } from "../../access/api-key.ts";
import { EXPLORER_KEY_NAME } from "../../access/explorer-key.ts";
import { openMemory } from "../../storage/memory.ts";
import type { ApiKey } from "../../storage/store.ts";
import { CommandError } from "../output.ts";
import { createAccount } from "./accounts.ts";
import { allowKey } from "./key-allow.ts";
import { limitKey, rotateKey } from "./key-changes.ts";
import { createKey, type KeyParts, revokeKey } from "./keys.ts";

const START = Date.UTC(2026, 10, 21, 12, 40);
const HOUR_MS = 3_600_000;

let now = 0;
let parts: KeyParts;
beforeEach(async () => {
  now = START;
  parts = {
    storage: openMemory(),
    plans: { free: { maxKeys: 3 }, growth: {} },
    clock: { now: () => now, monotonic: () => 0 },
    random: randomBytes,
  };
  await createAccount(parts, { email: "ada@example.com", plan: "free", operator: false });
});

type Made = { readonly id: string; readonly key: string };
const create = async (expires?: string): Promise<Made> =>
  (await createKey(parts, { account: "ada@example.com", name: "backend", expires })).json as Made;
const rotate = async (id: string, overlap?: string): Promise<Made> =>
  (await rotateKey(parts, { id, overlap })).json as Made;
const stored = async (id: string): Promise<ApiKey | undefined> =>
  (await parts.storage.keys.findById(id))?.key;

describe("keys rotate", () => {
  test("does not count the explorer's key", async () => {
    const [first] = [await create(), await create(), await create()];
    const old = await stored(first.id);
    if (old === undefined) throw new Error("the key is not there");
    const own = { ...old, id: "key_explorer", hash: "own", name: EXPLORER_KEY_NAME };
    await parts.storage.keys.insert(own);
    const { id } = await rotate(first.id);
    expect(await stored(id)).toMatchObject({ name: "backend" });
  });

  test("makes a second key of the same name, limits and lists; the first ends a day later", async () => {
    const old = await create();
    await limitKey(parts, { id: old.id, daily: "1000", perSecond: "10" });
    const entries = ["ip=10.0.0.0/8", "method=eth_*"];
    await allowKey({ ...parts, networks: [] }, { id: old.id, entries, remove: false });
    now += 1000;
    const { json, text } = await rotateKey(parts, { id: old.id });
    const { id, key } = json as Made;
    expect(json).toEqual({
      id: expect.stringMatching(/^key_\w{8,11}$/),
      key: expect.stringMatching(/^tg_6/),
      replaces: old.id,
      replacedEnds: "2026-11-22T12:40:01.000Z",
    });
    expect(key).not.toBe(old.key);
    expect(text.split(key)).toHaveLength(2);
    expect(text).toContain(`key ${old.id} (backend) is refused from 2026-11-22 12:40 UTC on`);
    expect(await stored(id)).toEqual({
      id,
      accountId: expect.any(String),
      name: "backend",
      hash: hashApiKey(key),
      prefix: key.slice(0, 8),
      createdAt: now,
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
      limits: { creditsPerDay: 1000, creditsPerSecond: 10 },
      allow: { ip: ["10.0.0.0/8"], method: ["eth_*"] },
    });
    expect(await stored(old.id)).toMatchObject({ expiresAt: START + 1000 + 24 * HOUR_MS });
  });

  test("takes another overlap, and none at all", async () => {
    const [first, second] = [await create(), await create()];
    await rotate(first.id, "15m");
    expect(await stored(first.id)).toMatchObject({ expiresAt: START + HOUR_MS / 4 });
    await rotate(second.id, "0s");
    expect(await stored(second.id)).toMatchObject({ expiresAt: START });
  });

  test("never moves the old key's own end further away", async () => {
    const { id } = await create("2026-11-22");
    const ends = Date.UTC(2026, 10, 22);
    const made = await rotate(id, "7d");
    expect(made).toMatchObject({ replacedEnds: "2026-11-22T00:00:00.000Z" });
    expect(await stored(id)).toMatchObject({ expiresAt: ends });
    expect(await stored(made.id)).toMatchObject({ expiresAt: null });
  });

  test("works for every key of an account that has as many as its plan allows", async () => {
    const keys = [await create(), await create(), await create()];
    for (const { id } of keys) await rotate(id);
    await expect(create()).rejects.toThrow("has 3 active keys");
  });

  test("never leaves more keys behind than the plan allows", async () => {
    const keys = [await create(), await create(), await create()];
    const [{ id } = { id: "" }] = keys;
    await rotate(id);
    for (const overlap of ["24h", "1h", "0s"]) {
      await expect(rotate(id, overlap)).rejects.toThrow("has 3 active keys, as many as plan free");
    }
    now += 24 * HOUR_MS;
    const records = await parts.storage.keys.list();
    const active = records.filter(({ key }) => key.expiresAt === null);
    expect(active).toHaveLength(3);
  });

  test("with a pepper makes a key that works with that pepper", async () => {
    const { id } = await create();
    parts = { ...parts, pepper: "pepper" };
    const { key } = await rotate(id);
    expect(await parts.storage.keys.findByHash(hashApiKey(key, "pepper"))).toBeDefined();
  });

  test("refuses a key that has ended, and one that does not exist", async () => {
    const [revoked, expired] = [await create(), await create("2026-11-22")];
    await revokeKey(parts, { id: revoked.id });
    now = Date.UTC(2026, 10, 22);
    for (const { id } of [revoked, expired]) {
      await expect(rotate(id)).rejects.toThrow("has ended, so there is nothing to rotate");
    }
    await expect(rotate("key_x")).rejects.toThrow('there is no key "key_x"');
    expect(await parts.storage.keys.list()).toHaveLength(2);
  });

  test.each(["", "24", "1w", "-1h", "tomorrow", "366d", "9999999999y"])(
    "refuses %j: it is no overlap",
    async (overlap) => {
      const { id } = await create();
      await expect(rotate(id, overlap)).rejects.toThrow(
        `${JSON.stringify(overlap)} is no overlap; write it as 30s, 15m, 24h, 2d or 2y, 1y at most`,
      );
    },
  );
});

describe("keys limit", () => {
  test("sets either limit or both, and 0 gives the account's back", async () => {
    const { id } = await create();
    const first = await limitKey(parts, { id, daily: "1000" });
    expect(first.json).toEqual({ id, limits: { creditsPerDay: 1000, creditsPerSecond: null } });
    expect(first.text).toBe(
      `key ${id} (backend) has credits a day: 1,000; credits a second: the account's; every running process follows within a second`,
    );
    await limitKey(parts, { id, daily: "0", perSecond: "50" });
    expect(await stored(id)).toMatchObject({
      limits: { creditsPerDay: null, creditsPerSecond: 50 },
    });
  });

  test("refuses an unknown key, a number that is none, and to change nothing", async () => {
    const { id } = await create();
    await expect(limitKey(parts, { id: "key_x", daily: "1" })).rejects.toThrow("there is no key");
    await expect(limitKey(parts, { id, perSecond: "fast" })).rejects.toThrow(CommandError);
    await expect(limitKey(parts, { id })).rejects.toThrow("say which limit");
  });
});

test("no command on a key repeats the key where it is given in place of its id", async () => {
  const { key } = await create();
  const allowParts = { ...parts, networks: [] };
  for (const failure of [
    rotateKey(parts, { id: key }),
    limitKey(parts, { id: key, daily: "1" }),
    allowKey(allowParts, { id: key, entries: [], remove: false }),
  ]) {
    await expect(failure).rejects.toThrow("a key is named by its id, such as key_");
    await expect(failure).rejects.not.toThrow(key.slice(4));
  }
});
