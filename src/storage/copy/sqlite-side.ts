import { existsSync } from "node:fs";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { quoted } from "../postgres/statement.ts";
import { transaction } from "../sqlite/database.ts";
import type { CopiedRow, CopiedValue, Side } from "./side.ts";
import { type CopiedTable, columnList } from "./tables.ts";

/** `path`: of the gateway's file; `usersPath`: of the dashboard's, which may be missing. */
export function sqliteSide(path: string, usersPath: string): Side {
  const main = new DatabaseSync(path, { timeout: 5000 });
  const users = existsSync(usersPath) ? new DatabaseSync(usersPath, { timeout: 5000 }) : undefined;
  const all = (table: CopiedTable, sql: string, ...values: readonly CopiedValue[]) => {
    const db = table.isOfUsers ? users : main;
    return (db?.prepare(sql).all(...(values as SQLInputValue[])) ?? []) as unknown as CopiedRow[];
  };
  return {
    columns: async (table) =>
      all(table, "SELECT name FROM pragma_table_info(?)", table.name).map(({ name }) =>
        String(name),
      ),
    sums: async (table) => {
      const sums = table.sums.map((column) => `CAST(coalesce(sum(${quoted(column)}), 0) AS TEXT)`);
      const sql = `SELECT ${["CAST(count(*) AS TEXT)", ...sums].map((sum, n) => `${sum} AS s${n}`).join(", ")} FROM ${quoted(table.name)}`;
      return Object.values(all(table, sql)[0] ?? {}).map(String);
    },
    read: async (table, { columns, after, limit }) => {
      const key = columnList(table.key);
      const behind = after === undefined ? "" : `WHERE (${key}) > (${marks(after.length)})`;
      const sql = `SELECT ${columnList(columns)} FROM ${quoted(table.name)} ${behind} ORDER BY ${key} LIMIT ?`;
      return all(table, sql, ...(after ?? []), limit);
    },
    lastKey: async (table) => {
      const order = table.key.map((column) => `${quoted(column)} DESC`).join(", ");
      const sql = `SELECT ${columnList(table.key)} FROM ${quoted(table.name)} ORDER BY ${order} LIMIT 1`;
      const [row] = all(table, sql);
      return row && table.key.map((column) => row[column] ?? null);
    },
    write: async (table, columns, rows) => {
      const db = table.isOfUsers ? users : main;
      if (db === undefined) throw new Error("the dashboard's file is missing");
      // A column that the other store has not.
      const more = table.name === "partner_calls" && !columns.includes("allowed");
      const into = more ? [...columns, "allowed"] : columns;
      const insert = db.prepare(
        `INSERT INTO ${quoted(table.name)} (${columnList(into)}) VALUES (${marks(into.length)})`,
      );
      transaction(db, () => {
        for (const row of rows) {
          const values = columns.map((column) => row[column] ?? null);
          insert.run(...(more ? [...values, 0] : values));
        }
      });
    },
    // AUTOINCREMENT goes on behind the largest number.
    goOnNumbering: async () => undefined,
    copyState: async () => {
      const row = main.prepare("SELECT state FROM copy_state").get();
      return row?.["state"] as "unfinished" | "finished" | undefined;
    },
    setCopyState: async (state) => {
      transaction(main, () => {
        main.exec("DELETE FROM copy_state");
        main.prepare("INSERT INTO copy_state (state) VALUES (?)").run(state);
      });
    },
    close: async () => {
      main.close();
      users?.close();
    },
  };
}

const marks = (count: number): string => new Array(count).fill("?").join(", ");
