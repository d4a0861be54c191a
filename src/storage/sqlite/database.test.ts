import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { takeRequest } from "../../../test/support/ledger-contract.ts";
import { account, apiKey } from "../../../test/support/records.ts";
import { bucket } from "../../../test/support/usage-contract.ts";
import { temporaryFolder } from "../../../test/support/written.ts";
import { accountStatements } from "./accounts.ts";
import { openDatabase, storageError } from "./database.ts";
import { keyStatements } from "./keys.ts";
import { ledgerStatements, TAKE } from "./ledger.ts";
import { TAKE_PARTNER_CALLS } from "./partners.ts";
import { querySql, usageStatements } from "./usage.ts";

const folder = temporaryFolder("database");

/** SQLite gives the same error for a limit of its own as for a full disk. */
const pages = (db: DatabaseSync): number =>
  (db.prepare("PRAGMA page_count").get() as { page_count: number }).page_count;
const fault = (path: string, work: () => void): string => {
  try {
    work();
  } catch (reason) {
    return String(storageError(reason, path));
  }
  return "none";
};

test("a full disk fails writes with a clear text, all or nothing, while reads go on", () => {
  const path = join(folder, "full.db");
  const db = openDatabase({ path, busyTimeoutMs: 1000 });
  const keys = keyStatements(db);
  accountStatements(db).insert(account());
  const full = pages(db);
  db.exec(`PRAGMA max_page_count = ${full}`);

  let written = 0;
  const fill = (): void => {
    for (; written < 1000; written += 1) {
      keys.insert(apiKey({ id: `key_${written}`, name: "n".repeat(500) }));
    }
  };
  expect(fault(path, fill)).toBe(
    `StorageError: the database ${path} cannot grow: the disk is full`,
  );
  expect(keys.list()).toHaveLength(written);

  db.exec(`PRAGMA max_page_count = ${full + 100}`);
  expect(keys.insert(apiKey({ id: "after" }))).toBe(true);
  db.close();
});

test("on a full disk no credit is lost: a lease is written or not granted", () => {
  const path = join(folder, "full-ledger.db");
  const db = openDatabase({ path, busyTimeoutMs: 1000 });
  const ledger = ledgerStatements(db);
  const full = pages(db);
  db.exec(`PRAGMA max_page_count = ${full}`);
  const granted: string[] = [];
  const spend = (): void => {
    for (let n = 0; n < 1000; n += 1) {
      const owner = `${n}`.padEnd(200);
      ledger.take(takeRequest({ owner }));
      granted.push(owner);
    }
  };
  expect(fault(path, spend)).toContain("cannot grow: the disk is full");
  const { rows, used } = db
    .prepare("SELECT count(*) AS rows, sum(used) AS used FROM ledger")
    .get() as {
    rows: number;
    used: number;
  };
  expect([rows, used]).toEqual([granted.length, granted.length * 500]);
  // What has a row already needs no more room.
  const again = takeRequest({ owner: granted[0] ?? "", now: takeRequest().now + 1 });
  expect(ledger.take(again).granted).toBe(500);

  db.exec(`PRAGMA max_page_count = ${full + 100}`);
  expect(ledger.take(takeRequest({ owner: "after" })).granted).toBe(500);
  db.close();
});

test("on a full disk usage is recorded as a whole or not at all, and later as a whole", () => {
  const path = join(folder, "full-usage.db");
  const db = openDatabase({ path, busyTimeoutMs: 1000 });
  const usage = usageStatements(db);
  const full = pages(db);
  db.exec(`PRAGMA max_page_count = ${full + 10}`);
  const buckets = Array.from({ length: 1000 }, (_, n) => bucket({ keyId: `key_${n}` }));
  expect(fault(path, () => usage.record(buckets, []))).toContain("the disk is full");
  const all = { accountId: "acc_1", resolution: "minute", from: 0, to: 2 ** 50 } as const;
  expect(usage.query(all)).toEqual([]);

  db.exec(`PRAGMA max_page_count = ${full + 1000}`);
  usage.record(buckets, []);
  expect(usage.query(all)).toHaveLength(1000);
  db.close();
});

test("a search for an account, a key, a change, a balance or usage scans no table", () => {
  const db = openDatabase({ path: join(folder, "plans.db"), busyTimeoutMs: 1000 });
  for (const statement of [
    "SELECT * FROM accounts WHERE email = ?",
    "SELECT * FROM keys k JOIN accounts a ON a.id = k.account_id WHERE k.hash = ?",
    "SELECT count(*) FROM keys WHERE account_id = ? AND revoked_at IS NULL",
    "SELECT seq FROM changes WHERE seq > ? ORDER BY seq",
    "DELETE FROM usage_minutes WHERE at < ?",
    querySql("usage_days"),
    TAKE,
    TAKE_PARTNER_CALLS,
  ]) {
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${statement}`).all();
    // The steps of a take read one row each.
    const details = plan
      .map(({ detail }) => detail)
      .filter((each) => !/^SCAN (ask|taken|CONSTANT ROW)$/.test(String(each)));
    expect(details.join()).not.toMatch(/SCAN|TEMP B-TREE/);
  }
  db.close();
});
