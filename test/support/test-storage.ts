import { createHash } from "node:crypto";
import { join } from "node:path";
import process from "node:process";
import type { StorageSettings } from "../../src/storage/open.ts";
import { newSchema, sharedPostgres } from "./postgres.ts";

/** `npm run test:postgres` says so: tests that can run on any store then run on PostgreSQL. */
// biome-ignore lint/style/noProcessEnv: how a run of the tests is told.
export const ON_POSTGRES = process.env["TOLLGATE_TEST_STORAGE"] === "postgres";

/**
 * `storage` of a configuration: PostgreSQL, or this URL. An empty store, or the same as before for the same
 * folder.
 */
export async function testStorage(otherwise: string, folder?: string): Promise<StorageSettings> {
  if (!ON_POSTGRES) return { url: otherwise };
  const schema = folder === undefined ? newSchema() : `t_${hashOf(folder)}`;
  return { url: await sharedPostgres(), schema, poolSize: 4 };
}

const hashOf = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 32);

/** The same as the processes find it whose configuration stands in this folder. */
export function inFolder(settings: StorageSettings, folder: string): StorageSettings {
  const url = settings.url.replace(/^sqlite:\.\//, `sqlite:${join(folder, "/")}`);
  return { ...settings, url };
}
