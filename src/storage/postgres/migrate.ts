import { readdirSync, readFileSync } from "node:fs";
import { ownFile } from "../../lib/own-files.ts";
import { StorageError } from "../store.ts";
import type { PostgresDatabase } from "./database.ts";
import { quoted } from "./statement.ts";

/**
 * The oldest schema whose program may go on beside this one: while machines are upgraded one by one, the
 * program before serves on the schema of this one. So a migration adds what the older program does not see,
 * and a later one takes away what nobody uses any more.
 */
const OLDEST_BESIDE = 1;

type Version = { readonly version: number; readonly oldest: number };

/** Where two that start at once make the same: a name that is taken by now. */
const TAKEN = ["42P06", "42P07", "42710", "23505"];

/**
 * Brings the schema up to this program's. Whichever process is first does it, and the others wait.
 * @throws StorageError
 */
export async function migrate(db: PostgresDatabase): Promise<void> {
  const steps = migrations();
  await makeVersionTable(db);
  await db.transaction(async (session) => {
    const sql = "SELECT version, oldest FROM @schema_version FOR UPDATE";
    const [found] = await session.read<Version>(sql);
    const { version, oldest } = found ?? { version: 0, oldest: 0 };
    if (version >= steps.length) {
      if (oldest <= steps.length) return;
      throw new StorageError(
        `the database ${db.name} was written by a newer version of tollgate (its schema is ` +
          `${version}, for programs from ${oldest} on, and this one knows ${steps.length}): run that version`,
      );
    }
    for (const step of steps.slice(version)) await session.script(step);
    await session.change("UPDATE @schema_version SET version = :version, oldest = :oldest", {
      version: steps.length,
      oldest: OLDEST_BESIDE,
    });
  });
}

async function makeVersionTable(db: PostgresDatabase): Promise<void> {
  const schema = await db.read("SELECT 1 FROM pg_namespace WHERE nspname = :schema", {
    schema: db.schema,
  });
  // Only where it is missing: whoever may not create one may still be given one.
  if (schema.length === 0) await unlessTaken(db.change(`CREATE SCHEMA ${quoted(db.schema)}`));
  const table = await db.read(
    "SELECT 1 FROM pg_tables WHERE schemaname = :schema AND tablename = 'schema_version'",
    { schema: db.schema },
  );
  if (table.length > 0) return;
  await unlessTaken(
    db.change(`CREATE TABLE @schema_version AS SELECT 0::bigint AS version, 0::bigint AS oldest`),
  );
}

async function unlessTaken(made: Promise<unknown>): Promise<void> {
  try {
    await made;
  } catch (error) {
    const { cause } = error as StorageError;
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    if (!TAKEN.includes(code)) throw error;
  }
}

/** Numbered from 1 without gaps; the highest is the schema's version. */
function migrations(): readonly string[] {
  const folder = ownFile("storage/postgres/migrations/");
  const files = readdirSync(folder).filter((file) => file.endsWith(".sql"));
  return files.sort().map((file) => readFileSync(new URL(file, folder), "utf8"));
}
