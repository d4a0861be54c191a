import type { ApiKey, Storage } from "../storage/store.ts";
import { isExplorerKey } from "./explorer-key.ts";
import { mostActiveKeys } from "./most-keys.ts";
import { isActive, type NewKey, type NewKeyParts, newKey } from "./new-key.ts";

/** A day: long enough to bring a new key to every place that has the old one. */
export const DEFAULT_OVERLAP_MS = 86_400_000;

export type Rotation = NewKey & {
  /** When the old key ends, Unix milliseconds. */
  readonly oldEndsAt: number;
};

type Parts = NewKeyParts & { readonly storage: Pick<Storage, "keys"> };

/**
 * Makes a second key beside an active one, with its name, limits and allow-lists and without an
 * end. The old one ends after the overlap, or at its own end where that is earlier. While keys
 * overlap an account may have twice its plan's keys, and afterwards no more than before.
 */
export async function rotateKey(
  parts: Parts,
  old: ApiKey,
  options: { readonly overlapMs: number; readonly maxKeys: number | undefined },
): Promise<Rotation | "ended" | "too_many_keys"> {
  const { storage, clock } = parts;
  const { overlapMs, maxKeys } = options;
  const now = clock.now();
  if (!isActive(old, now)) return "ended";
  const oldEndsAt = Math.min(now + overlapMs, old.expiresAt ?? Number.POSITIVE_INFINITY);
  if (maxKeys !== undefined) {
    const records = await storage.keys.list(old.accountId);
    const staying = records.filter(
      ({ key }) => key.id !== old.id && !isExplorerKey(key) && isActive(key, oldEndsAt),
    );
    if (staying.length >= maxKeys) return "too_many_keys";
  }
  const { accountId, name, limits, allow } = old;
  const made = newKey(parts, { accountId, name, limits, allow, expiresAt: null });
  const { keys } = storage;
  const most = maxKeys && (await mostActiveKeys(2 * maxKeys, { keys, clock, accountId }));
  // The new key first: whatever fails in between, no caller is left without one.
  if (!(await storage.keys.insert(made.key, most))) return "too_many_keys";
  await storage.keys.update(old.id, { expiresAt: oldEndsAt });
  return { ...made, oldEndsAt };
}
