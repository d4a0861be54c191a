import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openMemory } from "../../../src/storage/memory.ts";
import { accountStore } from "../../../src/storage/postgres/accounts.ts";
import { changeFeed } from "../../../src/storage/postgres/changes.ts";
import { openDatabase } from "../../../src/storage/postgres/client.ts";
import { keyStore } from "../../../src/storage/postgres/keys.ts";
import { ledgerStore } from "../../../src/storage/postgres/ledger.ts";
import { partnerStore } from "../../../src/storage/postgres/partners.ts";
import { usageStore } from "../../../src/storage/postgres/usage.ts";
import { openSqlite } from "../../../src/storage/sqlite/client.ts";
import type { Storage } from "../../../src/storage/store.ts";
import { newSchema, useCallersClock } from "../../support/postgres.ts";

/** The longest timer of Node. */
const NEVER_MS = 2 ** 31 - 1;

/** The statements of SQLite, on a file of its own. */
export async function sqliteStorage(): Promise<Storage> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-fleet-"));
  const storage = await openSqlite(join(folder, "fleet.db"), { threadAfterMs: NEVER_MS });
  const close = async () => {
    await storage.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { ...storage, close };
}

/** The statements of PostgreSQL, in a schema of its own. Its clock is that of who asks, and what may wait does not. */
export async function postgresStorage(url: string): Promise<Storage> {
  const schema = newSchema();
  const db = await openDatabase({ url, schema });
  await useCallersClock(url, schema);
  const soon = (_: number, run: () => void) => {
    const timer = setImmediate(run);
    return () => clearImmediate(timer);
  };
  return {
    ...openMemory(),
    accounts: accountStore(db),
    keys: keyStore(db),
    ledger: ledgerStore(db, { after: soon }),
    usage: usageStore(db),
    partners: partnerStore(db),
    changes: changeFeed(db),
    close: () => db.close(),
  };
}
