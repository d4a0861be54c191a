import type { DayBalance, ForgottenDay, Grant, LedgerStore } from "../ledger-store.ts";
import type { PostgresDatabase } from "./database.ts";

const TAKE = `SELECT taken_day AS day, granted, rest AS "left", wait_ms AS "waitMs", is_shared AS shared
  FROM @take_credits(:owner, :day, :pool, :spare, :want, :least, :limit, :process, :number, :perSecond, :now)`;

const GIVE_BACK = "SELECT @give_back(:owner, :day, :process, :series, :total)";

const balance = (table: string) =>
  `${table}.used + @used_elsewhere(${table}.owner, ${table}.pool, ${table}.day) AS used, ${table}.added`;

export function ledgerStore(db: PostgresDatabase): LedgerStore {
  return {
    take: async ({ spare = 0, ...request }) => {
      const [row] = await db.write<Grant>(TAKE, { ...request, spare });
      if (row === undefined) throw new Error("a function returned no row");
      return row;
    },
    giveBack: async (given) => {
      await db.change(GIVE_BACK, given);
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
