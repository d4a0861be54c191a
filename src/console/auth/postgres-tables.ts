import { PostgresDialect } from "kysely";
import type { StorageSettings } from "../../storage/open.ts";
import { openDatabase } from "../../storage/postgres/client.ts";
import type { PostgresDatabase } from "../../storage/postgres/database.ts";
import type { AttemptStore, Tries } from "./attempts.ts";
import type { AuthTables } from "./tables.ts";

/** Connections of one dashboard: people sign in seldom. */
const POOL_SIZE = 3;

/** @throws StorageError */
export async function openAuthSchema(storage: StorageSettings): Promise<AuthTables> {
  const db = await openDatabase({ ...storage, poolSize: POOL_SIZE });
  return {
    database: {
      dialect: new PostgresDialect({ pool: db.pool }),
      type: "postgres",
      schemaName: db.schema,
    },
    attempts: attemptStore(db),
    migrate: (run) =>
      db.transaction(async (session) => {
        // As this program's own migrations do.
        await session.read("SELECT version FROM @schema_version FOR UPDATE");
        await run();
      }),
    dropUnconfirmed: async () => {
      await db.change('DELETE FROM @user WHERE "emailVerified" = false');
    },
    close: () => db.close(),
  };
}

function attemptStore(db: PostgresDatabase): AttemptStore {
  return {
    change: (name, next) =>
      db.transaction(async (session) => {
        // A row to lock, which says nothing yet.
        await session.change(
          "INSERT INTO @attempts (name, count, last_ms) VALUES (:name, 0, 0) ON CONFLICT DO NOTHING",
          { name },
        );
        const sql =
          'SELECT count, last_ms AS "lastMs" FROM @attempts WHERE name = :name FOR UPDATE';
        const [known] = await session.read<Tries>(sql, { name });
        const tries = next(known?.count === 0 ? undefined : known);
        if (tries === undefined) return;
        await session.change(
          "UPDATE @attempts SET count = :count, last_ms = :lastMs WHERE name = :name",
          { name, ...tries },
        );
      }),
    forget: async (name) => {
      await db.change("DELETE FROM @attempts WHERE name = :name", { name });
    },
    prune: async (beforeMs) => {
      await db.change("DELETE FROM @attempts WHERE last_ms <= :beforeMs", { beforeMs });
    },
  };
}
