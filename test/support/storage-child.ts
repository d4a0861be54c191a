import { DatabaseSync } from "node:sqlite";
import { openSqlite } from "../../src/storage/sqlite/client.ts";
import type { StoreName } from "../../src/storage/store.ts";

/** Argument: the file. `threadAfterMs` as of `openSqlite`. */
const [, , path = "", threadAfterMs = ""] = process.argv;

type Asked = {
  readonly id: number;
  readonly store: string;
  readonly method: string;
  readonly args: readonly unknown[];
};
type Methods = Record<string, (...args: readonly unknown[]) => Promise<unknown>>;

/** A storage in a process of its own: carries out each call that it is told, and answers. */
const storage = await openSqlite(path, { threadAfterMs: Number(threadAfterMs) });
process.on("message", async (asked: Asked) => {
  const { id } = asked;
  try {
    const value = await answerTo(asked);
    answer({ id, value });
  } catch (error) {
    answer({ id, error: String(error) });
  }
});
process.once("disconnect", () => void storage.close());
process.send?.("open");

function answer(reply: object): void {
  if (process.connected) process.send?.(reply);
}

function answerTo({ store, method, args }: Asked): unknown {
  if (store === "dump") return dump();
  const methods = storage[store as StoreName] as unknown as Methods;
  return methods[method]?.(...args);
}

/** All rows of all tables, as another connection reads them. */
function dump(): string {
  const db = new DatabaseSync(path);
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
  const rows = tables.all().map(({ name }) => [name, db.prepare(`SELECT * FROM ${name}`).all()]);
  db.close();
  return JSON.stringify(rows);
}
