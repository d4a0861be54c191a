import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { usedBytes } from "../../test/support/memory.ts";
import { account, apiKey } from "../../test/support/records.ts";
import type { ApiKey, KeyRecord } from "../storage/store.ts";
import { createApiKey } from "./api-key.ts";
import { identityOf } from "./identity.ts";
import { KnownKeys } from "./known-keys.ts";

const MB = 1_000_000;
const ALLOW = { ip: ["10.1.2.3/8", "2001:db8::/32"], method: ["eth_call", "eth_get*"] };
const LIMITS = { creditsPerDay: 1000, creditsPerSecond: 10 };

/** As the store's thread sends it: no text or object is another record's. */
function recordOf(n: number, accounts: number, over: Partial<ApiKey>): KeyRecord {
  const accountId = `acc_3fGhK9m${n % accounts}`;
  const owner = account({ id: accountId, email: `owner-${n % accounts}@example.com` });
  const key = apiKey({ ...over, id: `key_3fGhK9m${n}`, accountId });
  return structuredClone({ key, account: owner });
}

function learn(known: KnownKeys, found: KeyRecord): string {
  const text = createApiKey(randomBytes);
  const record = known.withSharedAccount(found);
  const identity = identityOf(record, 0);
  if (identity === undefined) throw new Error("the key has ended");
  known.add(text, identity, { readAt: 1, record });
  return text;
}

describe.each([
  { what: "keys of one account", accounts: 1, over: {} },
  { what: "keys of many accounts, one each", accounts: Number.POSITIVE_INFINITY, over: {} },
  { what: "keys with limits of their own", accounts: 10, over: { limits: LIMITS } },
  { what: "keys with allow-lists", accounts: 10, over: { allow: ALLOW } },
])("$what", ({ accounts, over }) => {
  test("take no more memory than the bound says, and not much less", async () => {
    const maxBytes = 20 * MB;
    const known = new KnownKeys(maxBytes);
    const before = await usedBytes();
    for (let n = 0; n < 100_000; n += 1) learn(known, recordOf(n, accounts, over));
    const took = (await usedBytes()) - before;
    process.stdout.write(`${took / MB} MB of ${maxBytes / MB}\n`);
    expect(took).toBeLessThan(maxBytes);
    expect(took).toBeGreaterThan(0.4 * maxBytes);
    expect(known.get("none")).toBeUndefined();
  });
});

test("a key that is used stays, one that is not leaves", () => {
  const known = new KnownKeys(10_000);
  const first = learn(known, recordOf(0, 1, {}));
  const second = learn(known, recordOf(1, 1, {}));
  for (let n = 2; n < 100; n += 1) {
    learn(known, recordOf(n, 1, {}));
    const used = known.get(first);
    if (used === undefined) throw new Error("the first key is gone");
    used.isUsed = true;
  }
  expect(known.get(second)).toBeUndefined();
});

test("a key that is read again takes the place that it had", () => {
  const known = new KnownKeys(1_000_000);
  const record = recordOf(0, 1, {});
  const text = learn(known, record);
  const before = known.get(text);
  const identity = identityOf(record, 0);
  if (identity === undefined) throw new Error("the key has ended");
  for (let n = 0; n < 10_000; n += 1) known.add(text, identity, { readAt: 7, record });
  expect(known.get(text)).toBe(before);
  expect(before).toMatchObject({ readAt: 7, identity });
});
