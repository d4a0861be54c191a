import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { copyCommand } from "../../src/commands/storage/copy.ts";
import { COPIED_TABLES } from "../../src/storage/copy/tables.ts";
import { openStorage, type StorageSettings } from "../../src/storage/open.ts";
import type { Storage } from "../../src/storage/store.ts";
import { startTestConsole } from "../console/support/test-console.ts";
import { delivery } from "../support/alert-contract.ts";
import { auditEntry } from "../support/audit-contract.ts";
import { takeRequest } from "../support/ledger-contract.ts";
import { newSchema, sharedPostgres } from "../support/postgres.ts";
import { account, apiKey } from "../support/records.ts";
import { apiToken } from "../support/token-contract.ts";
import { runTollgate } from "../support/tollgate-process.ts";
import { bucket } from "../support/usage-contract.ts";
import { temporaryFolder } from "../support/written.ts";

const ACCOUNTS = 30;
const BUCKETS = 2500;
const { day, now } = takeRequest();
const wide = { accountId: "acc_1", from: 0, to: 2 ** 50 } as const;

const opened = async (settings: StorageSettings): Promise<Storage> => {
  const storage = await openStorage(settings);
  onTestFinished(storage.close);
  return storage;
};

async function fill(storage: Storage): Promise<void> {
  for (let n = 0; n < ACCOUNTS; n += 1) {
    const id = `acc_${n}`;
    await storage.accounts.insert(account({ id, email: `User${n}@example.com`, createdAt: n }));
    const allow = { agent: ['it\'s "quoted", é'] };
    await storage.keys.insert(apiKey({ id: `key_${n}`, accountId: id, hash: `hash_${n}`, allow }));
    await storage.ledger.take(
      takeRequest({ owner: id, want: 500 + n, limit: 9_007_199_254_740_991 }),
    );
    await storage.ledger.add(id, day + 1, n);
  }
  await storage.keys.revoke("key_3", 77);
  const buckets = Array.from({ length: BUCKETS }, (_, n) =>
    bucket({
      keyId: `key_${n % 7}`,
      minute: 29_000_000 + (n % 900),
      calls: n + 1,
      latencyMs: n / 8,
    }),
  );
  await storage.usage.record(buckets, [], { process: "one", number: 4 });
  const contract = {
    minute: 29_000_000,
    accountId: "acc_1",
    network: "mainnet",
    contract: "0xaa",
    calls: 9,
  };
  await storage.usage.record([], [contract]);
  await storage.partners.take({ network: "mainnet", now, calls: 7, caps: {} });
  const member = {
    id: "mem_1",
    accountId: "acc_1",
    email: "Bob@example.com",
    addedAt: 5,
    addedBy: "a",
  };
  await storage.members.add(member);
  await storage.tokens.insert(apiToken(), 9);
  for (const n of [1, 2, 3]) await storage.audit.append(auditEntry({ id: `aud_${n}` }));
  await storage.alerts.write({
    accountId: "acc_1",
    thresholds: [75],
    emails: ["a@b.c"],
    webhook: null,
  });
  await storage.alerts.claim({ accountId: "acc_1", day, threshold: 75 }, [
    delivery({ id: "del_1" }),
  ]);
  await storage.fleet.setDrained({ network: "mainnet", upstream: "node-a" }, true);
}

/** Everything that a store says of itself. */
async function everything({
  accounts,
  keys,
  ledger,
  usage,
  partners,
  members,
  tokens,
  audit,
  alerts,
  fleet,
}: Storage) {
  const owners = Array.from({ length: ACCOUNTS }, (_, n) => `acc_${n}`);
  return {
    accounts: await accounts.list(),
    keys: await keys.list(),
    days: await Promise.all(owners.map((owner) => ledger.read(owner, day))),
    next: await Promise.all(owners.map((owner) => ledger.read(owner, day + 1))),
    minutes: (await usage.query({ ...wide, resolution: "minute" })).map((row) => ({ ...row })),
    hours: (await usage.query({ ...wide, resolution: "hour" })).map((row) => ({ ...row })),
    totals: (await usage.totals({ ...wide, resolution: "hour" })).map((row) => ({ ...row })),
    contracts: await usage.topContracts({ ...wide, limit: 9 }),
    partners: await partners.read("mainnet", now),
    members: (await members.list("acc_1")).map((row) => ({ ...row })),
    tokens: await tokens.list("acc_1"),
    audit: await audit.page({ limit: 9 }),
    alerts: [await alerts.list(), await alerts.page("acc_1", { limit: 9 })],
    drained: (await fleet.drained()).map((row) => ({ ...row })),
  };
}

const sqlite = (): StorageSettings => ({ url: `sqlite:${join(temporaryFolder("copy"), "t.db")}` });
const postgres = async (): Promise<StorageSettings> => ({
  url: await sharedPostgres(),
  schema: newSchema(),
});

async function copy(from: StorageSettings, to: StorageSettings): Promise<string> {
  const schema = to.schema ?? from.schema ?? "";
  const parts = { print: () => undefined, now: () => 0 };
  return (await copyCommand({ from: from.url, to: to.url, schema }, parts)).text;
}

describe("a copy from one store to another", () => {
  test("takes everything to PostgreSQL and back, and both go on as the first would", async () => {
    const [first, middle, last] = [sqlite(), await postgres(), sqlite()];
    const source = await openStorage(first);
    await fill(source);
    const expected = await everything(source);
    await source.close();
    const text = await copy(first, middle);
    expect(text).toMatch(/usage_minutes +2,500\n/);
    expect(text).toContain("rows and sums are the same in both");
    await copy(middle, last);
    for (const settings of [middle, last]) {
      const storage = await opened(settings);
      expect(await everything(storage)).toEqual(expected);
      // Numbers that the database gives go on behind those that were copied.
      await storage.audit.append(auditEntry({ id: "aud_4" }));
      expect((await storage.audit.page({ limit: 1 })).entries[0]?.id).toBe("aud_4");
      // What was written already is not written again, and what was taken is not taken again.
      await storage.usage.record([bucket()], [], { process: "one", number: 4 });
      expect((await everything(storage)).minutes).toEqual(expected.minutes);
      expect(await storage.accounts.insert(account({ id: "x", email: "USER1@example.com" }))).toBe(
        false,
      );
      expect(await storage.accounts.delete("acc_1")).toBe(true);
    }
  });

  test("takes the people who sign in along, with their sessions", async () => {
    const desk = await startTestConsole();
    const person = await desk.signUp("ada@example.com");
    await desk.stop();
    const target = await postgres();
    await copy(desk.config.storage, target);
    const again = await startTestConsole({ storage: target });
    onTestFinished(again.stop);
    const browser = again.browser();
    for (const [name, value] of person.cookies) browser.cookies.set(name, value);
    expect((await browser.get("/api/me")).json).toMatchObject({
      user: { email: "ada@example.com" },
    });
  });

  test("that ends early goes on where it was, and until then nothing else opens the target", async () => {
    const [from, to] = [sqlite(), await postgres()];
    const source = await openStorage(from);
    await fill(source);
    const expected = await everything(source);
    await source.close();
    let reads = 0;
    const broken = copyCommand(
      { from: from.url, to: to.url, schema: to.schema ?? "" },
      {
        now: () => (reads += 5000),
        print: (line) => {
          if (/ (1|2),\d\d\d of .*usage_minutes/.test(line)) throw new Error("killed");
        },
      },
    );
    await expect(broken).rejects.toThrow("killed");
    await expect(openStorage(to)).rejects.toThrow("holds an unfinished copy of another one");
    await copy(from, to);
    expect(await everything(await opened(to))).toEqual(expected);
  });

  test("refuses a target that has something, and a source that changed meanwhile", async () => {
    const [from, to] = [sqlite(), await postgres()];
    const source = await opened(from);
    await fill(source);
    const target = await opened(to);
    await target.accounts.insert(account());
    await expect(copy(from, to)).rejects.toThrow("is not empty: it has rows in accounts");
    const other = await postgres();
    const schema = other.schema ?? "";
    let atMs = 0;
    const now = () => {
      atMs += 5000;
      return atMs;
    };
    // Behind the ledger, which is copied before.
    const print = (line: string) => {
      if (!line.includes("usage_hours")) return;
      const other = new DatabaseSync(from.url.slice("sqlite:".length));
      other.exec("UPDATE ledger SET added = added + 1");
      other.close();
    };
    const ends = { from: from.url, to: other.url, schema };
    const changing = copyCommand(ends, { now, print });
    await expect(changing).rejects.toThrow("after the copy, ledger differs");
  });

  test("is said to be impossible where an end is missing or is no store", async () => {
    const failure = async (...args: string[]) =>
      (await runTollgate(["storage", "copy", ...args])).stderr;
    const { url } = sqlite();
    expect(await failure("--to", url)).toContain("--from is missing; or set TOLLGATE_FROM");
    expect(await failure("--from", url, "--to", url)).toContain("--from: there is no such file");
    expect(await failure("--from", "mysql://u:hunter2@h/d", "--to", url)).not.toContain("hunter2");
  });
});

/** Of those that run, and of the copy itself. */
const NOT_COPIED = ["changes", "copy_state", "filters", "fleet", "lost_commits"];

test("each table of a store is copied, but the feed, what serves for minutes, who runs and what a copy keeps of itself", async () => {
  const settings = sqlite();
  await (await openStorage(settings)).close();
  const db = new DatabaseSync(settings.url.slice("sqlite:".length));
  const rows = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  db.close();
  const names = rows.map(({ name }) => String(name)).filter((name) => !name.startsWith("sqlite_"));
  const copied = COPIED_TABLES.filter(({ isOfUsers }) => !isOfUsers).map(({ name }) => name);
  expect(names.toSorted()).toEqual([...copied, ...NOT_COPIED].toSorted());
});
