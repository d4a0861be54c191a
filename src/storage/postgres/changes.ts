import { type ChangeRow, changesAfter, changesOfBefore } from "../rows/changes.ts";
import type { ChangeFeed } from "../store.ts";
import type { PostgresDatabase } from "./database.ts";

/** With the position of the feed, in one statement: a change that is committed meanwhile is in both or in neither. */
const AFTER = `
  SELECT seq, NULL AS account_id, NULL AS key_id FROM @change_counter WHERE seq <= :seq
  UNION ALL
  SELECT seq, account_id, key_id FROM @changes WHERE seq > :seq
  ORDER BY seq`;

export function changeFeed(db: PostgresDatabase): ChangeFeed {
  return {
    since: async (seq) => {
      if (seq === undefined) {
        const [row] = await db.read<{ readonly seq: number }>("SELECT seq FROM @change_counter");
        return { seq: row?.seq ?? 0, complete: false, changes: [] };
      }
      const rows = await db.read<ChangeRow>(AFTER, { seq });
      const newest = rows[0]?.seq ?? seq;
      if (newest < seq) return { ...changesOfBefore(newest), isForgotten: true };
      return changesAfter(
        seq,
        rows.filter((row) => row.seq > seq),
      );
    },
  };
}
