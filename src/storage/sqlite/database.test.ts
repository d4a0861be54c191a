import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { account, apiKey } from "../../../test/support/store-contract.ts";
import { accountStatements } from "./accounts.ts";
import { openDatabase, storageError } from "./database.ts";
import { keyStatements } from "./keys.ts";

const folder = mkdtempSync(join(tmpdir(), "tollgate-database-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("a full disk fails writes with a clear text, all or nothing, while reads go on", () => {
  const path = join(folder, "full.db");
  const db = openDatabase({ path, busyTimeoutMs: 1000 });
  const accounts = accountStatements(db);
  const keys = keyStatements(db);
  accounts.insert(account());
  // SQLite gives the same error for a limit of its own as for a full disk.
  const { page_count: pages } = db.prepare("PRAGMA page_count").get() as { page_count: number };
  db.exec(`PRAGMA max_page_count = ${pages}`);

  let written = 0;
  const fill = (): void => {
    for (; written < 1000; written += 1) {
      keys.insert(apiKey({ id: `key_${written}`, name: "n".repeat(500) }));
    }
  };
  let error: unknown;
  try {
    fill();
  } catch (reason) {
    error = storageError(reason, path);
  }
  expect(String(error)).toBe(`StorageError: the database ${path} cannot grow: the disk is full`);
  expect(keys.list()).toHaveLength(written);

  db.exec(`PRAGMA max_page_count = ${pages + 100}`);
  expect(keys.insert(apiKey({ id: "after" }))).toBe(true);
  db.close();
});

test("a search for an account, a key or a change scans no table", () => {
  const db = openDatabase({ path: join(folder, "plans.db"), busyTimeoutMs: 1000 });
  for (const statement of [
    "SELECT * FROM accounts WHERE email = ?",
    "SELECT * FROM keys k JOIN accounts a ON a.id = k.account_id WHERE k.hash = ?",
    "SELECT count(*) FROM keys WHERE account_id = ? AND revoked_at IS NULL",
    "SELECT seq FROM changes WHERE seq > ? ORDER BY seq",
  ]) {
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${statement}`).all(null);
    expect(plan.map(({ detail }) => detail).join()).not.toMatch(/SCAN|TEMP B-TREE/);
  }
  db.close();
});
