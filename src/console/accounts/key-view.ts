import { keyState } from "../../access/new-key.ts";
import type { UnixMs } from "../../lib/clock.ts";
import type { ApiKey } from "../../storage/store.ts";

const isoTime = (timeMs: number | null): string | null =>
  timeMs === null ? null : new Date(timeMs).toISOString();

/** A key as every page shows it. */
export function keyView(key: ApiKey, now: UnixMs) {
  const { id, name, prefix, limits, allow } = key;
  return {
    ...{ id, name, prefix, limits, allow },
    state: keyState(key, now),
    created: new Date(key.createdAt).toISOString(),
    lastUsed: isoTime(key.lastUsedAt),
    expires: isoTime(key.expiresAt),
    revoked: isoTime(key.revokedAt),
  };
}
