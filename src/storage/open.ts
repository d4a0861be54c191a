import { isPostgresUrl } from "../config/storage.ts";
import type { Logger } from "../telemetry/log.ts";
import { openMemory } from "./memory.ts";
import { openSqlite } from "./sqlite/client.ts";
import { type Storage, StorageError } from "./store.ts";

/** `storage` of the configuration. All but the URL is PostgreSQL's alone. */
export type StorageSettings = {
  /** `sqlite:PATH`, `postgres://…`, or `memory:`, which is for tests. */
  readonly url: string;
  readonly schema?: string | undefined;
  /** Connections of this process. */
  readonly poolSize?: number | undefined;
  readonly statementTimeoutMs?: number | undefined;
};

export type StorageParts = {
  /** Told of each thread of the storage that ended by itself, and of a database that is waited for. */
  readonly log?: Logger | undefined;
  /** Waits for a database that is away, as one that serves does; a command fails. */
  readonly waits?: boolean;
};

/**
 * Opens `sqlite:PATH` (created with its parent folders where absent), `postgres://…` (its tables are made
 * where absent) or `memory:` (empty, gone when the process ends).
 * @throws StorageError
 */
export async function openStorage(
  settings: StorageSettings,
  { log, waits = false }: StorageParts = {},
): Promise<Storage> {
  const { url } = settings;
  if (url === "memory:") return openMemory();
  if (isPostgresUrl(url)) {
    // Loaded by those alone who have one: it takes a while.
    const { openPostgres } = await import("./postgres/client.ts");
    const onWait = (why: string) => log?.warn({ why }, "waiting for the database");
    return openPostgres(settings, waits ? onWait : undefined);
  }
  const path = url.startsWith("sqlite:") ? url.slice("sqlite:".length) : "";
  if (path === "") {
    // The URL may hold a password, so only its scheme is shown.
    const scheme = /^[a-z0-9+]*:/.exec(url)?.[0] ?? "";
    throw new StorageError(
      `storage.url: ${scheme === "" ? "no known form" : `"${scheme}…" is no known form`}; ` +
        "it is sqlite:PATH, postgres://USER@HOST/DATABASE or memory:",
    );
  }
  return openSqlite(path, {
    onThreadDeath: (cause) =>
      log?.error({ cause: String(cause) }, "the storage's thread has ended; another one is begun"),
  });
}
