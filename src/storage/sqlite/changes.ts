import type { DatabaseSync } from "node:sqlite";
import type { Change, ChangeFeed } from "../store.ts";
import type { Blocking } from "./database.ts";

type ChangeRow = {
  readonly seq: number;
  readonly account_id: string;
  readonly key_id: string | null;
};

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
      const rows = after.all(seq) as ChangeRow[];
      const complete = rows.length === 0 || rows[0]?.seq === seq + 1;
      const changes = complete ? rows.map(toChange) : [];
      return { seq: rows.at(-1)?.seq ?? seq, complete, changes };
    },
  };
}

const toChange = (row: ChangeRow): Change => ({ accountId: row.account_id, keyId: row.key_id });
