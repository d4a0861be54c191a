import type { DayBalance, ForgottenDay, Grant, LedgerStore } from "../store.ts";
import type { PostgresDatabase } from "./database.ts";

const TAKE = `SELECT granted, rest AS "left", wait_ms AS "waitMs", is_shared AS shared FROM @take_credits(
  :owner, :day, :pool, :spare, :want, :least, :limit, :process, :perSecond, :now)`;

/** Of a level, in thousandths of a credit: what goes back must not run over the type. */
const MOST_LEVEL = "1000000000000000000";

const balance = (table: string) =>
  `${table}.used + @used_elsewhere(${table}.owner, ${table}.pool, ${table}.day) AS used, ${table}.added`;

export function ledgerStore(db: PostgresDatabase): LedgerStore {
  return {
    take: async ({ spare = 0, ...request }) => {
      const [row] = await db.write<Omit<Grant, "day">>(TAKE, { ...request, spare });
      if (row === undefined) throw new Error("a function returned no row");
      return { day: request.day, ...row };
    },
    giveBack: async (owner, day, credits) => {
      await db.change(
        `UPDATE @ledger SET used = used - least(used, :credits::bigint),
           level = least(level + 1000 * least(used, :credits::bigint)::numeric, ${MOST_LEVEL})
         WHERE owner = :owner AND day = :day`,
        { owner, day, credits },
      );
    },
    add: async (owner, day, credits) => {
      const [row] = await db.write<DayBalance>(
        `INSERT INTO @ledger AS mine (owner, day, used, added) VALUES (:owner, :day, 0, :credits)
         ON CONFLICT (owner, day) DO UPDATE SET added = mine.added + excluded.added
         RETURNING ${balance("mine")}`,
        { owner, day, credits },
      );
      return row ?? { used: 0, added: credits };
    },
    read: async (owner, day) => {
      const sql = `SELECT ${balance("mine")} FROM @ledger mine WHERE owner = :owner AND day = :day`;
      const [row] = await db.read<DayBalance>(sql, { owner, day });
      return row ?? { used: 0, added: 0 };
    },
    repair: (owners, day) =>
      db.transaction(async (tx) => {
        await tx.read("SELECT @lock(owner) FROM unnest(:owners::text[]) AS owner ORDER BY owner", {
          owners,
        });
        const forgotten = await tx.write<ForgottenDay>(
          "DELETE FROM @ledger WHERE owner = ANY (:owners) AND day > :day RETURNING owner, day, used",
          { owners, day },
        );
        await tx.change(
          "UPDATE @ledger SET pool = NULL WHERE owner = ANY (:owners) AND pool IS NOT NULL",
          { owners },
        );
        return [...forgotten].sort((a, b) => a.day - b.day);
      }),
    // A row of its own: a full disk or a standby, which cannot be written, is found out.
    check: async () => {
      await db.change("UPDATE @change_counter SET seq = seq WHERE one = 1");
    },
  };
}
