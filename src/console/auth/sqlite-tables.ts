import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { keepDatabasePrivate, OWN_FOLDER } from "../../lib/private-files.ts";
import { StorageError } from "../../storage/store.ts";
import type { AttemptStore, Tries } from "./attempts.ts";
import type { AuthTables } from "./tables.ts";

/** Longer than any write of another process that has the file open, such as `accounts link`. */
const BUSY_MS = 5000;

/**
 * Beside the gateway's own file, so that a sign-in never waits on the ledger's lock, or the ledger
 * on a sign-in: `tollgate.db` gives `tollgate.console.db`. Undefined where the storage is no file.
 */
export function authFileOf(storageUrl: string): string | undefined {
  const [, path] = /^sqlite:(.+)$/s.exec(storageUrl) ?? [];
  return path?.replace(/(\.[^./\\]+)?$/, (extension) => `.console${extension}`);
}

/**
 * Opens the file of users and sessions, which nobody but its owner may read; in memory where it is
 * undefined. @throws StorageError
 */
export function openAuthFile(file: string | undefined): AuthTables {
  const database = open(file);
  return {
    database,
    attempts: attemptStore(database),
    migrate: (run) => run(),
    dropUnconfirmed: async () => database.exec('DELETE FROM "user" WHERE emailVerified = 0'),
    close: async () => database.close(),
  };
}

function open(file: string | undefined): DatabaseSync {
  try {
    if (file !== undefined) {
      mkdirSync(dirname(file), { recursive: true, mode: OWN_FOLDER });
      keepDatabasePrivate(file);
    }
    const database = new DatabaseSync(file ?? ":memory:", { timeout: BUSY_MS });
    database.exec(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON",
    );
    return database;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StorageError(`the dashboard's users cannot be opened: ${file}: ${reason}`, { cause });
  }
}

function attemptStore(database: DatabaseSync): AttemptStore {
  database.exec(
    `CREATE TABLE IF NOT EXISTS attempts
       (name TEXT PRIMARY KEY, count INTEGER NOT NULL, last_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
     CREATE INDEX IF NOT EXISTS attempts_by_time ON attempts (last_ms)`,
  );
  const find = database.prepare("SELECT count, last_ms AS lastMs FROM attempts WHERE name = ?");
  const write = database.prepare(
    `INSERT INTO attempts (name, count, last_ms) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET count = excluded.count, last_ms = excluded.last_ms`,
  );
  const remove = database.prepare("DELETE FROM attempts WHERE name = ?");
  const prune = database.prepare("DELETE FROM attempts WHERE last_ms <= ?");
  return {
    change: async (name, next) => {
      const tries = next(find.get(name) as Tries | undefined);
      if (tries !== undefined) write.run(name, tries.count, tries.lastMs);
    },
    forget: async (name) => void remove.run(name),
    prune: async (beforeMs) => void prune.run(beforeMs),
  };
}
