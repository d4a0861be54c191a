import type { AuditEntry, AuditStore } from "../console-stores.ts";
import { pageOf, readNumberCursor } from "../cursor.ts";

type Numbered = { readonly seq: number; readonly entry: AuditEntry };

/** The audit log in memory; `prune` drops what is older than a time, Unix milliseconds. */
export function memoryAudit(check: () => void): {
  readonly store: AuditStore;
  readonly prune: (before: number) => void;
} {
  let lastSeq = 0;
  let kept: readonly Numbered[] = [];
  const store: AuditStore = {
    append: async (entry) => {
      check();
      lastSeq += 1;
      kept = [{ seq: lastSeq, entry }, ...kept];
    },
    page: async ({ accountId, before, limit }) => {
      check();
      const end = readNumberCursor(before) ?? 0;
      const found = kept.filter(
        ({ seq, entry }) => seq < end && (accountId === undefined || entry.accountId === accountId),
      );
      const { page, next } = pageOf(found, limit, ({ seq }) => `${seq}`);
      return { entries: page.map(({ entry }) => entry), next };
    },
  };
  const prune = (before: number): void => {
    kept = kept.filter(({ entry }) => entry.at >= before);
  };
  return { store, prune };
}
