import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { takeRequest } from "../../../test/support/ledger-contract.ts";
import { account, apiKey } from "../../../test/support/records.ts";
import { bucket } from "../../../test/support/usage-contract.ts";
import { temporaryFolder } from "../../../test/support/written.ts";
import { noLatencies } from "../../lib/latency-counts.ts";
import { USAGE_DIMENSIONS } from "../usage-store.ts";
import { ACCOUNT_PAGE, accountStatements } from "./accounts.ts";
import { openDatabase, storageError } from "./database.ts";
import { keyStatements } from "./keys.ts";
import { ledgerStatements, TAKE } from "./ledger.ts";
import { TAKE_PARTNER_CALLS } from "./partners.ts";
import { PRUNE_HOUR_SUMS, pruneSql } from "./pruning.ts";
import { querySql, usageStatements } from "./usage.ts";
import { latenciesSql, seriesSql, totalsSql } from "./usage-sums.ts";

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
    pruneSql("usage_minutes", "account_id, at, key_id, network, method, outcome"),
    pruneSql("audit", "seq"),
    querySql("usage_days"),
    PRUNE_HOUR_SUMS,
    ACCOUNT_PAGE,
    "SELECT * FROM members WHERE email = ?",
    "SELECT * FROM members WHERE account_id = ? AND email = ?",
    "SELECT * FROM audit WHERE account_id = ? AND seq < ? ORDER BY seq DESC",
    "SELECT * FROM audit WHERE seq < ? ORDER BY seq DESC",
    "SELECT * FROM alert_deliveries WHERE account_id = ? AND seq < ? ORDER BY seq DESC",
    "SELECT 1 FROM alert_deliveries WHERE state = 'pending' AND next_at <= ?",
    pruneSql("alerts", "account_id, day, threshold", "day"),
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

test("sums read the span's rows by the primary key, of one key no others, without keys no keys", () => {
  const db = openDatabase({ path: join(folder, "sum-plans.db"), busyTimeoutMs: 1000 });
  const plan = (statement: string): string => {
    const steps = db.prepare(`EXPLAIN QUERY PLAN ${statement}`).all();
    const details = steps.map(({ detail }) => String(detail));
    // What was summed is read once more, and sorted: a few thousand rows.
    return details.filter((each) => /usage|SCAN (?!slice|leading|moments)/.test(each)).join("\n");
  };
  const whole = "USING PRIMARY KEY (account_id=? AND at>? AND at<?)";
  const ofKey = "USING PRIMARY KEY (account_id=? AND at=? AND key_id=?";
  for (const by of USAGE_DIMENSIONS) {
    const table = by === "key" ? "usage_hours" : "usage_hour_sums";
    expect(plan(seriesSql({ resolution: "hour", by }))).toBe(`SEARCH ${table} ${whole}`);
    expect(plan(seriesSql({ resolution: "minute", by }))).toBe(`SEARCH usage_minutes ${whole}`);
    const one = { resolution: "hour", keyId: "key_1" } as const;
    expect(plan(seriesSql({ ...one, by }))).toContain(`SEARCH usage_hours ${ofKey})`);
    expect(plan(seriesSql({ ...one, network: "base", by }))).toContain(`${ofKey} AND network=?)`);
    expect(plan(seriesSql({ ...one, by }))).not.toContain("SCAN");
  }
  expect(plan(totalsSql({ resolution: "hour" }))).toBe(`SEARCH usage_hour_sums ${whole}`);
  expect(plan(latenciesSql({ resolution: "hour" }))).toBe(`SEARCH usage_hour_sums ${whole}`);
  expect(plan(totalsSql({ resolution: "day" }))).toBe(`SEARCH usage_days ${whole}`);
  expect(plan(totalsSql({ resolution: "minute", keyId: "key_1" }))).toContain(
    `SEARCH usage_minutes ${ofKey})`,
  );
  db.close();
});

test("the hours of an older database are in the sums, whose keys they leave out", () => {
  const path = join(folder, "older.db");
  const older = new DatabaseSync(path);
  for (const name of ["0001-accounts-and-keys", "0002-ledger-and-usage", "0003-partner-calls"]) {
    older.exec(readFileSync(new URL(`./migrations/${name}.sql`, import.meta.url), "utf8"));
  }
  older.exec("PRAGMA user_version = 3");
  const insert = older.prepare(
    "INSERT INTO usage_hours VALUES (?, 'acc_1', ?, 'n', 'm', 'ok', 1, 2, 3, 4.5)",
  );
  for (const keyId of ["key_1", "key_2"]) for (const at of [0, 3_600_000]) insert.run(at, keyId);
  older.close();

  const db = openDatabase({ path, busyTimeoutMs: 1000 });
  const asked = { accountId: "acc_1", resolution: "hour", from: 0, to: 3_600_000 } as const;
  expect(usageStatements(db).totals(asked)).toEqual([
    {
      ...{ network: "n", method: "m", outcome: "ok", calls: 2, credits: 4, bytes: 6 },
      ...{ latencyMs: 9, latencies: noLatencies() },
    },
  ]);
  db.close();
});
