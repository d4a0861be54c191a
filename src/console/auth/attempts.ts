import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../lib/clock.ts";

const FREE_ATTEMPTS = 5;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 900_000;
const FORGOTTEN_MS = 86_400_000;

type Tries = { readonly count: number; readonly last_ms: number };

/**
 * Attempts that failed, by name: five are free, then each next one has to wait, twice as long each time,
 * from a second up to a quarter of an hour. Whether a name exists makes no difference. They are kept
 * beside the users for a day, so that a restart forgives nothing.
 */
export class Attempts {
  readonly #clock: Pick<Clock, "now">;
  readonly #find;
  readonly #write;
  readonly #delete;
  readonly #prune;

  constructor(database: DatabaseSync, clock: Pick<Clock, "now">) {
    this.#clock = clock;
    database.exec(
      `CREATE TABLE IF NOT EXISTS attempts
         (name TEXT PRIMARY KEY, count INTEGER NOT NULL, last_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
       CREATE INDEX IF NOT EXISTS attempts_by_time ON attempts (last_ms)`,
    );
    this.#find = database.prepare("SELECT count, last_ms FROM attempts WHERE name = ?");
    this.#write = database.prepare(
      `INSERT INTO attempts (name, count, last_ms) VALUES (?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET count = excluded.count, last_ms = excluded.last_ms`,
    );
    this.#delete = database.prepare("DELETE FROM attempts WHERE name = ?");
    this.#prune = database.prepare("DELETE FROM attempts WHERE last_ms <= ?");
  }

  /** Counts an attempt, before it is known whether it fails; or milliseconds to wait, above 0. */
  begin(name: string): number {
    const nowMs = this.#clock.now();
    this.#prune.run(nowMs - FORGOTTEN_MS);
    const known = this.#find.get(name) as Tries | undefined;
    const count = known?.count ?? 0;
    const waitMs = waitAfter(count);
    // A clock that was set back must not make it longer.
    const leftMs = Math.min((known?.last_ms ?? 0) + waitMs - nowMs, waitMs);
    if (count >= FREE_ATTEMPTS && leftMs > 0) return leftMs;
    this.#write.run(name, count + 1, nowMs);
    return 0;
  }

  /** It was right. */
  forget(name: string): void {
    this.#delete.run(name);
  }
}

function waitAfter(count: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** Math.max(count - FREE_ATTEMPTS, 0), LONGEST_WAIT_MS);
}
