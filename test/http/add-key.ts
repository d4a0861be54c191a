import { randomBytes } from "node:crypto";
import { createApiKey, displayPrefix, hashApiKey } from "../../src/access/api-key.ts";
import { createId } from "../../src/access/ids.ts";
import type { TestGateway } from "../support/gateway.ts";
import { recordKey } from "../support/written.ts";

/** One more key of the gateway's account; `expiresAt` in Unix milliseconds. */
export async function addKey(
  { storage }: TestGateway,
  expiresAt: number | null = null,
): Promise<{ id: string; key: string }> {
  const key = createApiKey(randomBytes);
  recordKey(key);
  const id = createId("key", randomBytes);
  const [account] = await storage.accounts.list();
  await storage.keys.insert({
    id,
    accountId: account?.id ?? "",
    name: "one more",
    hash: hashApiKey(key),
    prefix: displayPrefix(key),
    createdAt: Date.now(),
    lastUsedAt: null,
    expiresAt,
    revokedAt: null,
    limits: { creditsPerDay: null, creditsPerSecond: null },
    allow: {},
  });
  return { id, key };
}
