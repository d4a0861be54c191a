import { chmodSync, closeSync, openSync } from "node:fs";

const OWN_FILE = 0o600;
/** The mode of a folder for such files. */
export const OWN_FOLDER = 0o700;

/**
 * Has a database's file, and those that SQLite puts beside it, read by nobody but their owner: they hold
 * what others must not know. The file is created where it is absent. What cannot be done is left to
 * whoever opens the file, who says why: another user's files, a disk that cannot be written.
 */
export function keepDatabasePrivate(file: string): void {
  // SQLite gives the files beside it the same rights; those of an older version had others.
  leaveToOpening(() => closeSync(openSync(file, "a", OWN_FILE)));
  for (const each of [file, `${file}-wal`, `${file}-shm`]) {
    leaveToOpening(() => chmodSync(each, OWN_FILE));
  }
}

function leaveToOpening(act: () => void): void {
  try {
    act();
  } catch {}
}
