import { POSTGRES_DEFAULTS } from "../../config/storage.ts";
import { systemClock, type UnixMs } from "../../lib/clock.ts";
import type { StorageSettings } from "../open.ts";
import { type Storage, StorageError, unfinishedCopy } from "../store.ts";
import { accountStore } from "./accounts.ts";
import { alertStore } from "./alerts.ts";
import { auditStore } from "./audit.ts";
import { changeFeed } from "./changes.ts";
import { postgresAddress } from "./connection-url.ts";
import { PostgresDatabase } from "./database.ts";
import { DatabaseClock } from "./database-clock.ts";
import { isAway } from "./faults.ts";
import { filterStore } from "./filters.ts";
import { fleetStore } from "./fleet.ts";
import { keyStore } from "./keys.ts";
import { ledgerStore } from "./ledger.ts";
import { memberStore } from "./members.ts";
import { migrate } from "./migrate.ts";
import { nodeStore } from "./nodes.ts";
import { partnerStore } from "./partners.ts";
import { tokenStore } from "./tokens.ts";
import { usageStore } from "./usage.ts";

/** Told once where the database cannot be talked to; it is then waited for. Absent: that is an error. */
type OnWait = ((why: string) => void) | undefined;

export type OpenOptions = {
  readonly onWait?: OnWait;
  /** Also one that a copy from another store has not filled yet. */
  readonly takesUnfinished?: boolean;
};

const TRIED_EVERY_MS = 500;

/**
 * A PostgreSQL database, 15 or newer. Its schema is made, or brought up to this program's.
 * @throws StorageError where the URL is wrong, the database refuses, or it is newer than the program
 */
export async function openDatabase(
  settings: StorageSettings,
  { onWait, takesUnfinished = false }: OpenOptions = {},
): Promise<PostgresDatabase> {
  const {
    schema = POSTGRES_DEFAULTS.schema,
    poolSize = POSTGRES_DEFAULTS.poolSize,
    statementTimeoutMs = POSTGRES_DEFAULTS.statementTimeoutMs,
  } = settings;
  const address = postgresAddress(settings.url);
  const db = new PostgresDatabase({ address, schema, poolSize, statementTimeoutMs }, systemClock);
  try {
    await whenReached(() => migrate(db), onWait);
    const unfinished = "SELECT 1 FROM @copy_state WHERE state = 'unfinished'";
    if (!takesUnfinished && (await db.read(unfinished)).length > 0) throw unfinishedCopy(db.name);
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** @throws StorageError as `openDatabase` */
export async function openPostgres(settings: StorageSettings, onWait?: OnWait): Promise<Storage> {
  const db = await openDatabase(settings, { onWait });
  const clock = new DatabaseClock({ ask: () => momentOf(db), time: systemClock });
  try {
    await whenReached(() => clock.start(), onWait);
  } catch (error) {
    await db.close();
    throw error;
  }
  return {
    accounts: accountStore(db),
    keys: keyStore(db),
    ledger: ledgerStore(db, systemClock),
    usage: usageStore(db),
    partners: partnerStore(db),
    changes: changeFeed(db),
    members: memberStore(db),
    tokens: tokenStore(db),
    audit: auditStore(db),
    alerts: alertStore(db),
    fleet: fleetStore(db),
    filters: filterStore(db),
    nodes: nodeStore(db),
    // Each statement has a connection that works, or makes one.
    isGone: () => false,
    traffic: db.traffic,
    timeAt: clock.timeAt,
    close: () => {
      clock.stop();
      return db.close();
    },
  };
}

/** By the function that takes go by. */
async function momentOf(db: PostgresDatabase): Promise<UnixMs> {
  const [row] = await db.read<{ readonly now: number }>("SELECT @moment(:now) AS now", {
    now: systemClock.now(),
  });
  if (row === undefined) throw new StorageError(`the database ${db.name} tells no time`);
  return row.now;
}

async function whenReached(work: () => Promise<void>, onWait: OnWait): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (onWait === undefined || !(error instanceof StorageError) || !isAway(error.cause))
        throw error;
      if (tries === 1) onWait(error.message);
      await new Promise<void>((resolve) => systemClock.after(TRIED_EVERY_MS, resolve));
    }
  }
}
