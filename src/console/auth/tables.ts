import type { BetterAuthOptions } from "better-auth";
import { isPostgresUrl } from "../../config/storage.ts";
import type { StorageSettings } from "../../storage/open.ts";
import type { AttemptStore } from "./attempts.ts";
import { authFileOf, openAuthFile } from "./sqlite-tables.ts";

/** Where users, sessions and failed attempts are kept. */
export type AuthTables = {
  /** As better-auth takes it. */
  readonly database: BetterAuthOptions["database"];
  readonly attempts: AttemptStore;
  /** Runs what makes better-auth's tables; one process at a time. */
  readonly migrate: (run: () => Promise<void>) => Promise<void>;
  /** Removes users who have not confirmed their e-mail. */
  readonly dropUnconfirmed: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/**
 * Beside the gateway's own file with SQLite, in the same schema with PostgreSQL; in memory where the storage is.
 * @throws StorageError
 */
export async function openAuthTables(storage: StorageSettings): Promise<AuthTables> {
  if (!isPostgresUrl(storage.url)) return openAuthFile(authFileOf(storage.url));
  const { openAuthSchema } = await import("./postgres-tables.ts");
  return openAuthSchema(storage);
}
