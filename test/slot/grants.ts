import { randomBytes } from "node:crypto";
import { createId } from "../../src/access/ids.ts";
import { newKey } from "../../src/access/new-key.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { AllowLists, Limits } from "../../src/storage/store.ts";
import type { TestGateway } from "../support/gateway.ts";
import { recordKey } from "../support/written.ts";

const NO_LIMITS: Limits = { creditsPerDay: null, creditsPerSecond: null };

export type Grant = {
  readonly plan?: string;
  readonly allow?: AllowLists;
  readonly keyLimits?: Partial<Limits>;
};
export type Granted = { readonly accountId: string; readonly email: string; readonly key: string };

/** An account of its own with one key. */
export async function grant({ storage }: TestGateway, wanted: Grant = {}): Promise<Granted> {
  const { plan = "test", allow = {}, keyLimits } = wanted;
  const accountId = createId("acc", randomBytes);
  const email = `${accountId}@example.com`;
  const createdAt = Date.now();
  const rest = { plan, suspended: false, operator: false, limits: NO_LIMITS, createdAt };
  await storage.accounts.insert({ id: accountId, email, ...rest });
  const limits = { ...NO_LIMITS, ...keyLimits };
  const { text, key } = newKey(
    { clock: systemClock, random: randomBytes },
    { accountId, name: "test", expiresAt: null, limits, allow },
  );
  await storage.keys.insert(key);
  recordKey(text);
  return { accountId, email, key: text };
}
