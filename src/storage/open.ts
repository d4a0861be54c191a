import type { Logger } from "../telemetry/log.ts";
import { openMemory } from "./memory.ts";
import { openSqlite } from "./sqlite/client.ts";
import { type Storage, StorageError } from "./store.ts";

/**
 * Opens `sqlite:PATH` (created with its parent folders where absent) or `memory:` (empty, gone when
 * the process ends). `log` is told of each thread of the storage that ended by itself.
 * @throws StorageError
 */
export async function openStorage(url: string, log?: Logger): Promise<Storage> {
  if (url === "memory:") return openMemory();
  const path = url.startsWith("sqlite:") ? url.slice("sqlite:".length) : "";
  if (path === "") {
    // The URL may hold a password one day, so only its scheme is shown.
    const scheme = /^[a-z0-9+]*:/.exec(url)?.[0] ?? "";
    throw new StorageError(
      `storage.url: ${scheme === "" ? "no known form" : `"${scheme}…" is no known form`}; it is sqlite:PATH or memory:`,
    );
  }
  return openSqlite(path, {
    onThreadDeath: (cause) =>
      log?.error({ cause: String(cause) }, "the storage's thread has ended; another one is begun"),
  });
}
