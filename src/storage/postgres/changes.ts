import { type ChangeRow, changesAfter } from "../rows/changes.ts";
import type { ChangeFeed } from "../store.ts";
import type { PostgresDatabase } from "./database.ts";

export function changeFeed(db: PostgresDatabase): ChangeFeed {
  return {
    since: async (seq) => {
      if (seq === undefined) {
        const [row] = await db.read<{ readonly seq: number }>("SELECT seq FROM @change_counter");
        return { seq: row?.seq ?? 0, complete: false, changes: [] };
      }
      const rows = await db.read<ChangeRow>(
        "SELECT seq, account_id, key_id FROM @changes WHERE seq > :seq ORDER BY seq",
        { seq },
      );
      return changesAfter(seq, rows);
    },
  };
}
