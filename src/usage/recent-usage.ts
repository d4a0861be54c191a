import type { Clock, MonotonicMs } from "../lib/clock.ts";

const FRESH_MS = 1000;

type Read = { readonly atMs: MonotonicMs; readonly text: Promise<string> };

/** Reads an account's usage at most once a second, however often it is wanted. */
export function readAtMostOncePerSecond<Identity extends { readonly accountId: string }>(
  read: (identity: Identity) => Promise<string>,
  clock: Pick<Clock, "monotonic">,
): (identity: Identity) => Promise<string> {
  /** In the order in which they were read. */
  const recent = new Map<string, Read>();
  return (identity) => {
    const nowMs = clock.monotonic();
    for (const [account, { atMs }] of recent) {
      if (nowMs - atMs < FRESH_MS) break;
      recent.delete(account);
    }
    const known = recent.get(identity.accountId);
    if (known !== undefined) return known.text;
    const text = read(identity);
    recent.set(identity.accountId, { atMs: nowMs, text });
    return text;
  };
}
