import type { Clock, UnixMs } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { ApiKey } from "../storage/store.ts";
import { createApiKey, displayPrefix, hashApiKey } from "./api-key.ts";
import { createId } from "./ids.ts";

export type NewKeyParts = {
  readonly clock: Clock;
  readonly random: Random;
  /** `keys.pepper` of the configuration. */
  readonly pepper?: string | undefined;
};

/** The choices for a new key; the rest of it is made up. */
export type KeyGrant = Pick<ApiKey, "accountId" | "name" | "expiresAt" | "limits" | "allow">;

/** A key's text, which is kept nowhere, and what the store gets in its place. */
export type NewKey = { readonly text: string; readonly key: ApiKey };

export function newKey({ clock, random, pepper }: NewKeyParts, grant: KeyGrant): NewKey {
  const text = createApiKey(random);
  const key: ApiKey = {
    id: createId("key", random),
    hash: hashApiKey(text, pepper),
    prefix: displayPrefix(text),
    createdAt: clock.now(),
    lastUsedAt: null,
    revokedAt: null,
    ...grant,
  };
  return { text, key };
}

export function isActive(key: Pick<ApiKey, "revokedAt" | "expiresAt">, now: UnixMs): boolean {
  return key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now);
}

export type KeyState = "active" | "revoked" | "expired";

export function keyState(key: Pick<ApiKey, "revokedAt" | "expiresAt">, now: UnixMs): KeyState {
  if (key.revokedAt !== null) return "revoked";
  return isActive(key, now) ? "active" : "expired";
}
