import type { DatabaseSync } from "node:sqlite";
import { type ChangeRow, changesAfter, changesOfBefore } from "../rows/changes.ts";
import type { ChangeFeed } from "../store.ts";
import type { Blocking } from "./database.ts";

/** Where nothing changed, a question costs one seek to the end of the table's primary key. */
export function changeStatements(db: DatabaseSync): Blocking<ChangeFeed> {
  const last = db.prepare("SELECT coalesce(max(seq), 0) AS seq FROM changes");
  const after = db.prepare(
    "SELECT seq, account_id, key_id FROM changes WHERE seq > ? ORDER BY seq",
  );
  return {
    since: (seq) => {
      if (seq === undefined) {
        return { ...(last.get() as { seq: number }), complete: false, changes: [] };
      }
      const { seq: newest } = last.get() as { readonly seq: number };
      // A copy was put in the file's place.
      if (newest < seq) return changesOfBefore(newest);
      return changesAfter(seq, after.all(seq) as ChangeRow[]);
    },
  };
}
