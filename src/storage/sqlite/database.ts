import { existsSync, readdirSync, readFileSync } from "node:fs";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { ownFile } from "../../lib/own-files.ts";
import { StorageError, unfinishedCopy } from "../store.ts";

/** A store's methods as they are in the worker, where nothing else has to go on meanwhile. */
export type Blocking<Store> = {
  readonly [Method in keyof Store]: Store[Method] extends (
    ...args: infer Args
  ) => Promise<infer Result>
    ? (...args: Args) => Result
    : never;
};

export type DatabaseOptions = {
  readonly path: string;
  /** How long a call waits for another process's lock. */
  readonly busyTimeoutMs: number;
  /** Also one that a copy from another store has not filled yet. */
  readonly takesUnfinished?: boolean;
};

/**
 * Opens the file, creates it where absent, and brings its schema up to this program's.
 * @throws StorageError
 */
export function openDatabase(options: DatabaseOptions): DatabaseSync {
  try {
    const db = open(options, () => undefined);
    if (options.takesUnfinished !== true) refuseUnfinished(db, options.path);
    return db;
  } catch (error) {
    throw storageError(error, options.path);
  }
}

function refuseUnfinished(db: DatabaseSync, path: string): void {
  const row = db.prepare("SELECT 1 FROM copy_state WHERE state = 'unfinished'").get();
  if (row === undefined) return;
  db.close();
  throw unfinishedCopy(path);
}

/**
 * Opens the file again after a fault. It is not created: a copy may be on its way to its place, and
 * an empty database would refuse every key. Does not wait for locks.
 * @throws StorageError, or SQLite's own error
 */
export function reopenDatabase(path: string): DatabaseSync {
  const missing = new StorageError(`the database ${path} is missing: restore it from a copy`);
  if (!existsSync(path)) throw missing;
  return open({ path, busyTimeoutMs: 0 }, (db) => {
    if (versionOf(db) === 0) throw missing;
  });
}

function open({ path, busyTimeoutMs }: DatabaseOptions, check: (db: DatabaseSync) => void) {
  const db = new DatabaseSync(path, { timeout: busyTimeoutMs });
  try {
    check(db);
    useWal(db, busyTimeoutMs);
    migrate(db, path);
    // From here on the worker waits for locks itself, so that reads go on meanwhile.
    db.exec("PRAGMA busy_timeout = 0");
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Between two looks at a file that another process is just setting up. */
const SET_UP_MS = 5;

/** SQLite's busy timeout does not hold for this pragma: on a file without WAL yet it fails at once. */
function useWal(db: DatabaseSync, busyTimeoutMs: number): void {
  for (let leftMs = busyTimeoutMs; ; leftMs -= SET_UP_MS) {
    try {
      db.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (!isLocked(error) || leftMs <= 0) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SET_UP_MS);
    }
  }
}

/** Numbered from 1 without gaps; the highest is the schema's version, kept as user_version. */
function migrations(): readonly string[] {
  const folder = ownFile("storage/sqlite/migrations/");
  const files = readdirSync(folder).filter((file) => file.endsWith(".sql"));
  return files.sort().map((file) => readFileSync(new URL(file, folder), "utf8"));
}

function migrate(db: DatabaseSync, path: string): void {
  const steps = migrations();
  if (versionOf(db) === steps.length) return;
  transaction(db, () => {
    // Asked again under the lock: another process may have been first.
    const version = versionOf(db);
    if (version > steps.length) {
      throw new StorageError(
        `the database ${path} was written by a newer version of tollgate ` +
          `(its schema is ${version}, this program knows ${steps.length}): run that version`,
      );
    }
    for (const step of steps.slice(version)) db.exec(step);
    db.exec(`PRAGMA user_version = ${steps.length}`);
  });
}

function versionOf(db: DatabaseSync): number {
  const row = db.prepare("PRAGMA user_version").get() as { user_version: number };
  return row.user_version;
}

/** All of `work` or nothing. The write lock is taken first, so that nothing fails half-way. */
export function transaction<Result>(db: DatabaseSync, work: () => Result): Result {
  db.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    db.exec("COMMIT");
    return result;
  } catch (error) {
    // SQLite has rolled back by itself after some faults (disk full, input and output).
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

/** Commits a page as it was: what fails for a full disk or a lock fails here too. */
export function writeNothingNew(db: DatabaseSync): void {
  transaction(db, () => db.exec(`PRAGMA user_version = ${versionOf(db)}`));
}

type Values = Readonly<Record<string, SQLInputValue>>;

/**
 * Prepares a statement that writes and returns rows (`RETURNING`). Always use this for one: `get` of
 * node:sqlite stops at the first row, the commit follows while the statement is reset, and the error
 * of a commit that fails then is dropped. `all` steps to the end, commits, and throws.
 */
export function returning<Row>(db: DatabaseSync, sql: string): (values: Values) => Row[] {
  const statement = db.prepare(sql);
  statement.setAllowUnknownNamedParameters(true);
  return (values) => statement.all(values) as Row[];
}

/** SQLite's primary result codes (sqlite.org/rescode.html) and what they mean to an operator. */
const FAULTS: Readonly<Record<number, string>> = {
  5: "is locked by another process",
  6: "is locked by another process",
  8: "cannot be written: check the permissions of the file and its folder",
  10: "cannot be read or written: the disk reports a fault",
  11: "is damaged: restore it from a copy",
  13: "cannot grow: the disk is full",
  14: "cannot be opened: check that the path is a file in a folder that may be written",
  26: "is not a SQLite database, or is damaged: name another file, or restore it from a copy",
};

/** Whether the file itself is at fault: restored or moved back, it has to be opened again. */
export function isFileFault(error: unknown): boolean {
  return [8, 10, 11, 14, 26].includes(resultCode(error) ?? -1);
}

/** Whether what the file holds cannot be read. */
export function isDamaged(error: unknown): boolean {
  return [11, 26].includes(resultCode(error) ?? -1);
}

/** IOERR_FSYNC, IOERR_SHMSIZE, IOERR_SHMMAP: what may fail when the commit stands in the log already. */
const AFTER_THE_COMMIT = [1034, 4874, 5386];

/** Whether the statement, though it failed, may be found in the log by whoever opens the file next. */
export function isInDoubt(error: unknown): boolean {
  return AFTER_THE_COMMIT.includes(extendedCode(error) ?? -1);
}

/** Whether another connection's lock is the reason, so that trying again helps. */
export function isLocked(error: unknown): boolean {
  const code = resultCode(error);
  return code === 5 || code === 6;
}

/** The error with a text for people. Statements and values are not in it. */
export function storageError(error: unknown, path: string): StorageError {
  if (error instanceof StorageError) return error;
  const fault = FAULTS[resultCode(error) ?? -1];
  const reason = fault ?? `failed: ${error instanceof Error ? error.message : String(error)}`;
  return new StorageError(`the database ${path} ${reason}`, { cause: error });
}

function resultCode(error: unknown): number | undefined {
  const code = extendedCode(error);
  return code === undefined ? undefined : code & 0xff;
}

function extendedCode(error: unknown): number | undefined {
  const isSqlite = error instanceof Error && "errcode" in error;
  return isSqlite && typeof error.errcode === "number" ? error.errcode : undefined;
}
