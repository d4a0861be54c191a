import type { Change, Changes } from "../store.ts";

export type ChangeRow = {
  readonly seq: number;
  readonly account_id: string;
  readonly key_id: string | null;
};

/** `newest`: where the feed ends, which is before the position that was asked for. */
export function changesOfBefore(newest: number): Changes {
  return { seq: newest, complete: false, changes: [] };
}

/** `rows`: all behind `seq`, in order. Where the first is missing, it was pruned. */
export function changesAfter(seq: number, rows: readonly ChangeRow[]): Changes {
  const complete = rows.length === 0 || rows[0]?.seq === seq + 1;
  return {
    seq: rows.at(-1)?.seq ?? seq,
    complete,
    changes: complete ? rows.map(toChange) : [],
  };
}

const toChange = (row: ChangeRow): Change => ({ accountId: row.account_id, keyId: row.key_id });
