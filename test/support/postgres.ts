import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { openPostgres } from "../../src/storage/postgres/client.ts";
import type { Storage } from "../../src/storage/store.ts";
import { startPostgresServer } from "./postgres-server.ts";
import { postgresFile } from "./run-folder.ts";
import { recordKey, runFolder } from "./written.ts";

const LONGEST_START_MS = 60_000;

/**
 * The URL of the run's PostgreSQL server, which the first test that needs it starts and the end of the run
 * stops. Each test has a schema of its own in it.
 */
export async function sharedPostgres(): Promise<string> {
  const file = postgresFile(runFolder());
  if (isFirst(`${file}.starting`)) {
    // Nothing in it has to outlive the run.
    const { url, folder, password, pid } = await startPostgresServer({
      fsync: "off",
      max_connections: "400",
    });
    recordKey(password);
    writeFileSync(`${file}.new`, JSON.stringify({ url, folder, pid: pid() }));
    renameSync(`${file}.new`, file);
  }
  for (let waitedMs = 0; waitedMs < LONGEST_START_MS; waitedMs += 20) {
    const url = urlIn(file);
    if (url !== undefined) return url;
    await setTimeout(20);
  }
  throw new Error("the PostgreSQL server of the run has not started");
}

/** A store whose ledger takes the callers' clocks for the database's. */
export async function openWithCallersClock(url: string): Promise<Storage> {
  const schema = newSchema();
  const storage = await openPostgres({ url, schema });
  await useCallersClock(url, schema);
  return storage;
}

/** Of a schema that is there. */
export const useCallersClock = (url: string, schema: string): Promise<void> =>
  setMoment({ url, schema }, "asked");

/** `moment`, of the schema, is what tells the database's time; `sql`: what it tells from now on. */
export async function setMoment(
  { url, schema }: { readonly url: string; readonly schema: string },
  sql: string,
): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(
    `CREATE OR REPLACE FUNCTION ${schema}.moment(asked bigint) RETURNS bigint LANGUAGE sql VOLATILE AS
      'SELECT ${sql}'`,
  );
  await client.end();
}

export const newSchema = (): string => `t_${randomUUID().replaceAll("-", "")}`;

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

function urlIn(file: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(file, "utf8")) as { readonly url: string }).url;
  } catch {
    return undefined;
  }
}
