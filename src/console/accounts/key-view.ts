import { keyState } from "../../access/new-key.ts";
import type { UnixMs } from "../../lib/clock.ts";
import type { ApiKey } from "../../storage/store.ts";
import { isoTime, isoTimeOrNull } from "../iso-time.ts";

/** A key as every page shows it. */
export function keyView(key: ApiKey, now: UnixMs) {
  const { id, name, prefix, limits, allow } = key;
  return {
    ...{ id, name, prefix, limits, allow },
    state: keyState(key, now),
    created: isoTime(key.createdAt),
    lastUsed: isoTimeOrNull(key.lastUsedAt),
    expires: isoTimeOrNull(key.expiresAt),
    revoked: isoTimeOrNull(key.revokedAt),
  };
}
