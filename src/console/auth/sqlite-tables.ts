import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { keepDatabasePrivate, OWN_FOLDER } from "../../lib/private-files.ts";
import { StorageError } from "../../storage/store.ts";

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
export function openAuthDatabase(file: string | undefined): DatabaseSync {
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
