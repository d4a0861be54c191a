import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { keepDatabasePrivate, OWN_FOLDER } from "../lib/private-files.ts";
import type { JournalledLease, LeaseJournal, LeftLease, LeftLeases } from "./lease-journal.ts";
import type { Day, TakeRequest } from "./ledger-store.ts";
import { isDamaged, isLocked, storageError } from "./sqlite/database.ts";
import { StorageError } from "./store.ts";

/** More than there are processes of any gateway. */
const MOST_FILES = 1024;
const VERSION = 1;

const SCHEMA = `
  CREATE TABLE leases (
    process TEXT NOT NULL, owner TEXT NOT NULL, day INTEGER NOT NULL, series INTEGER NOT NULL,
    total INTEGER NOT NULL, take TEXT, PRIMARY KEY (process, owner, day)
  ) WITHOUT ROWID;
  CREATE TABLE machine (boot TEXT NOT NULL);
  INSERT INTO machine VALUES ('');
  PRAGMA user_version = ${VERSION}`;

const NOTE = `
  INSERT INTO leases VALUES (?, ?, ?, ?, ?, NULL)
  ON CONFLICT DO UPDATE SET series = excluded.series, total = excluded.total`;
const ANSWERED = `${NOTE}, take = NULL`;
const ASKED = `
  INSERT INTO leases VALUES (?, ?, ?, 0, 0, ?) ON CONFLICT DO UPDATE SET take = excluded.take`;
const DROP = "DELETE FROM leases WHERE process = ? AND owner = ? AND day = ?";
const LEFT = "SELECT * FROM leases WHERE process <> ? LIMIT ?";

export type LeaseJournalOptions = {
  readonly folder: string;
  /** Unlike that of any other process. */
  readonly process: string;
  /** Another one after each start of the machine: what it had not written to its disk is missing then. */
  readonly boot: string;
};

export type LeaseJournalEvents = {
  /** What was written is gone. Told once, until it can be written again. */
  readonly onFailure: (error: unknown) => void;
  readonly onRecovery: () => void;
  /** A file was given up: it is damaged, or of before the machine was started. */
  readonly onDiscarded: (why: string) => void;
};

type Statements = {
  readonly [Name in "note" | "asked" | "answered" | "drop" | "left"]: StatementSync;
};

/**
 * The journal as a folder of SQLite files, one for each process of the gateway, that are locked while it lives. A
 * process that starts takes a file that nobody has, with all that was left in the others. Nothing waits for the disk: what
 * a process has written outlives it, though not the machine.
 */
export class LeaseJournalFile implements LeaseJournal, LeftLeases {
  readonly #options: LeaseJournalOptions;
  readonly #events: LeaseJournalEvents;
  #db: DatabaseSync | undefined;
  #path: string;
  #statements: Statements | undefined;
  generation = 1;

  /** @throws StorageError, or the system's error, where the folder cannot be used */
  constructor(options: LeaseJournalOptions, events: LeaseJournalEvents) {
    this.#options = options;
    this.#events = events;
    mkdirSync(options.folder, { recursive: true, mode: OWN_FOLDER });
    this.#path = this.#open();
    this.#takeOver();
  }

  note({ owner, day, series, total }: JournalledLease): void {
    this.#write(({ note }) => note.run(this.#options.process, owner, day, series, total));
  }

  asked(request: TakeRequest): void {
    const { owner, day } = request;
    const take = JSON.stringify(request);
    this.#write(({ asked }) => asked.run(this.#options.process, owner, day, take));
  }

  answered({ owner, day, series, total }: JournalledLease): void {
    this.#write(({ answered }) => answered.run(this.#options.process, owner, day, series, total));
  }

  drop(owner: string, day: Day): void {
    this.#write(({ drop }) => drop.run(this.#options.process, owner, day));
  }

  left(most: number): readonly LeftLease[] {
    let rows: Row[] = [];
    this.#write(({ left }) => {
      rows = left.all(this.#options.process, most) as Row[];
    });
    return rows.map((row) => ({
      ...row,
      take: row.take === null ? undefined : JSON.parse(row.take),
    }));
  }

  gone({ process, owner, day }: LeftLease): void {
    this.#write(({ drop }) => drop.run(process, owner, day));
  }

  /** To be called now and then: tries again to write after that failed. */
  retry(): void {
    if (this.#db !== undefined) return;
    try {
      this.#path = this.#open();
    } catch {
      return;
    }
    this.generation += 1;
    this.#events.onRecovery();
  }

  close(): void {
    this.#db?.close();
    this.#db = undefined;
    this.#statements = undefined;
  }

  #write(write: (statements: Statements) => unknown): void {
    if (this.#statements === undefined) return;
    try {
      write(this.#statements);
    } catch (error) {
      this.#giveUp(error);
    }
  }

  /** What stands in the file is out of date from now on, so nobody must find it. A full disk lets it be removed. */
  #giveUp(error: unknown): void {
    this.close();
    let cause: unknown = storageError(error, this.#path);
    try {
      removeDatabase(this.#path);
    } catch (fault) {
      const text = `${String(cause)}; remove it before the next start: ${String(fault)}`;
      cause = new StorageError(text, { cause: fault });
    }
    this.#events.onFailure(cause);
  }

  /** The first file that no process has. Returns its path. */
  #open(): string {
    for (let number = 1; number <= MOST_FILES; number += 1) {
      const path = join(this.#options.folder, `leases-${number}.db`);
      const db = this.#lock(path);
      if (db === undefined) continue;
      this.#db = db;
      this.#statements = {
        note: db.prepare(NOTE),
        asked: db.prepare(ASKED),
        answered: db.prepare(ANSWERED),
        drop: db.prepare(DROP),
        left: db.prepare(LEFT),
      };
      return path;
    }
    throw new StorageError(`${this.#options.folder} holds the journals of too many processes`);
  }

  /** Undefined where another process has it. */
  #lock(path: string, isFresh = false): DatabaseSync | undefined {
    keepDatabasePrivate(path);
    let db: DatabaseSync | undefined;
    try {
      db = new DatabaseSync(path, { timeout: 0 });
      prepare(db, path, { ...this.#events, boot: this.#options.boot });
      return db;
    } catch (error) {
      db?.close();
      if (isLocked(error)) return undefined;
      if (isFresh || !isDamaged(error)) throw storageError(error, path);
    }
    this.#events.onDiscarded(`${path} is damaged`);
    removeDatabase(path);
    return this.#lock(path, true);
  }

  /** Takes what was left in the files that nobody has: fewer processes may run than before. */
  #takeOver(): void {
    for (const name of readdirSync(this.#options.folder)) {
      const path = join(this.#options.folder, name);
      if (!/^leases-\d+\.db$/.test(name) || path === this.#path) continue;
      const other = this.#lock(path);
      if (other === undefined) continue;
      // A kill between the two leaves them in both: what goes back twice changes nothing.
      const insert = this.#db?.prepare("INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?, ?, ?)");
      for (const row of other.prepare("SELECT * FROM leases").all() as Row[]) {
        insert?.run(row.process, row.owner, row.day, row.series, row.total, row.take);
      }
      other.exec("DELETE FROM leases");
      other.close();
    }
  }
}

type Row = JournalledLease & { readonly process: string; readonly take: string | null };

/** The lock is the system's, so it goes with the process, however that ends. */
function prepare(
  db: DatabaseSync,
  path: string,
  { boot, onDiscarded }: Pick<LeaseJournalEvents, "onDiscarded"> & { readonly boot: string },
): void {
  db.exec("PRAGMA locking_mode = EXCLUSIVE");
  db.exec("PRAGMA journal_mode = WAL");
  db.exec("PRAGMA synchronous = OFF");
  const { user_version: version } = db.prepare("PRAGMA user_version").get() as {
    user_version: number;
  };
  if (version > VERSION) {
    throw new StorageError(`${path} was written by a newer version of tollgate: run that version`);
  }
  if (version === 0) db.exec(`BEGIN IMMEDIATE; ${SCHEMA}; COMMIT`);
  // The first write takes the lock.
  const sameBoot = db.prepare("UPDATE machine SET boot = ? WHERE boot = ?").run(boot, boot);
  if (sameBoot.changes === 1) return;
  const { changes } = db.prepare("DELETE FROM leases").run();
  if (Number(changes) > 0) onDiscarded(`${path} is of before the machine was started`);
  db.prepare("UPDATE machine SET boot = ?").run(boot);
}

function removeDatabase(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true });
}
