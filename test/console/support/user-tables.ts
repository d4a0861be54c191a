import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import pg from "pg";
import { authFileOf } from "../../../src/console/auth/sqlite-tables.ts";
import type { StorageSettings } from "../../../src/storage/open.ts";

type Row = Readonly<Record<string, unknown>>;

/**
 * Rows of a statement on the tables of the dashboard's users, as another program would ask it. Names are in
 * double quotes, values are `?`.
 */
export async function askUserTables(
  storage: StorageSettings,
  sql: string,
  ...values: readonly SQLInputValue[]
): Promise<readonly Row[]> {
  const file = authFileOf(storage.url);
  if (file !== undefined) {
    const database = new DatabaseSync(file, { timeout: 5000 });
    const rows = database.prepare(sql).all(...values);
    database.close();
    return rows;
  }
  const client = new pg.Client({
    connectionString: storage.url,
    options: `-c search_path=${storage.schema}`,
  });
  await client.connect();
  const [first = "", ...rest] = sql.split("?");
  const numbered = rest.reduce((text, part, index) => `${text}$${index + 1}${part}`, first);
  const { rows } = await client.query<Row>(numbered, [...values]);
  await client.end();
  return rows;
}
