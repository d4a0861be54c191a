import type { Account, ApiKey } from "../../src/storage/store.ts";

export const account = (over: Partial<Account> = {}): Account => ({
  id: "acc_1",
  email: "ada@example.com",
  plan: "free",
  operator: false,
  suspended: false,
  limits: { creditsPerDay: null, creditsPerSecond: null },
  createdAt: 1_000,
  ...over,
});

export const apiKey = (over: Partial<ApiKey> = {}): ApiKey => {
  const id = over.id ?? "key_1";
  return {
    id,
    accountId: "acc_1",
    name: "laptop",
    hash: `hash of ${id}`,
    prefix: "tg_6abcd",
    createdAt: 2_000,
    lastUsedAt: null,
    expiresAt: null,
    revokedAt: null,
    limits: { creditsPerDay: null, creditsPerSecond: null },
    allow: {},
    ...over,
  };
};
