import { fork } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { delivery } from "../../../test/support/alert-contract.ts";
import { fleetTimeContract } from "../../../test/support/fleet-contract.ts";
import { givenBack, takeRequest } from "../../../test/support/ledger-contract.ts";
import { partnerTake } from "../../../test/support/partner-contract.ts";
import { account, apiKey } from "../../../test/support/records.ts";
import { storeContract } from "../../../test/support/store-contract.ts";
import { bucket } from "../../../test/support/usage-contract.ts";
import { temporaryFolder } from "../../../test/support/written.ts";
import { type Storage, StorageError } from "../store.ts";
import { openSqlite, type SqliteOptions } from "./client.ts";

const folder = temporaryFolder("sqlite");

let files = 0;
const newPath = (): string => {
  files += 1;
  return join(folder, `${files}.db`);
};
const failure = async (promise: Promise<unknown>): Promise<StorageError> => {
  const error = await promise.catch((reason: unknown) => reason);
  if (!(error instanceof StorageError)) throw new Error(`no StorageError: ${String(error)}`);
  return error;
};

/** Whose thread carries out the calls. */
const PLACES: readonly (readonly [string, SqliteOptions])[] = [
  ["at first", {}],
  ["in its thread", { threadAfterMs: 0 }],
];

for (const [place, options] of PLACES) {
  storeContract(`the SQLite adapter, ${place}`, () => openSqlite(newPath(), options));
}

fleetTimeContract(() => openSqlite(newPath()));

describe("when the thread takes over", () => {
  /** What is carried out here has its outcome before anything else happens. */
  const isHere = async (call: Promise<unknown>): Promise<boolean> => {
    let isSettled = false;
    const settled = () => {
      isSettled = true;
    };
    call.then(settled, settled);
    await Promise.resolve();
    await Promise.resolve();
    const was = isSettled;
    await call;
    return was;
  };
  /** Until calls are carried out there. */
  const takenOver = async (storage: Storage): Promise<void> => {
    while (await isHere(storage.accounts.list())) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  };

  test("each call is carried out once", async () => {
    const storage = await openSqlite(newPath(), { threadAfterMs: 1 });
    const request = takeRequest({ limit: 1_000_000, least: 1 });
    let granted = 0;
    const take = async () => {
      const call = storage.ledger.take({ ...request, number: takeRequest().number });
      const wasHere = await isHere(call);
      granted += (await call).granted;
      return wasHere;
    };
    expect(await take()).toBe(true);
    while (await take()) await new Promise((resolve) => setImmediate(resolve));
    await take();
    expect((await storage.ledger.read(request.owner, request.day)).used).toBe(granted);
    await storage.close();
  });

  test("a write that waits for a lock is done once it is released", async () => {
    const path = newPath();
    const storage = await openSqlite(path, { threadAfterMs: 1 });
    await storage.accounts.insert(account());
    const lock = await lockInAnotherProcess(path);
    const write = storage.accounts.update("acc_1", { plan: "growth" });
    await takenOver(storage);
    await lock.release();
    expect(await write).toBe(true);
    expect((await storage.accounts.list())[0]?.plan).toBe("growth");
    await storage.close();
  });

  test("a file that went missing meanwhile is not made anew", async () => {
    const path = newPath();
    const storage = await openSqlite(path, { threadAfterMs: 1 });
    await storage.accounts.insert(account());
    for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
    while (
      await isHere(storage.accounts.list()).catch(({ message }: Error) => {
        expect(message).toBe(`the database ${path} is missing: restore it from a copy`);
        return false;
      })
    ) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(existsSync(path)).toBe(false);
    await storage.close();
  });

  test("a storage that is closed before has no thread", async () => {
    const storage = await openSqlite(newPath(), { threadAfterMs: 1 });
    expect(await isHere(storage.accounts.list())).toBe(true);
    await Promise.all([storage.close(), storage.close()]);
    expect((await failure(storage.accounts.list())).message).toBe("the storage is closed");
  });
});

describe("several processes on one file", () => {
  test("two that open a new file at once both find its tables", async () => {
    const path = newPath();
    const opened = await Promise.all(Array.from({ length: 6 }, () => openSqlite(path)));
    expect(await opened[0]?.accounts.insert(account())).toBe(true);
    for (const storage of opened) {
      expect(await storage.accounts.list()).toEqual([account()]);
      await storage.close();
    }
  });

  test("what one writes is in the other's feed", async () => {
    const path = newPath();
    const [one, other] = await Promise.all([openSqlite(path), openSqlite(path)]);
    await one.accounts.insert(account());
    const { seq } = await other.changes.since(undefined);
    await one.keys.insert(apiKey());
    expect((await other.changes.since(seq)).changes).toEqual([
      { accountId: "acc_1", keyId: "key_1" },
    ]);
    await Promise.all([one.close(), other.close()]);
  });

  test("a limit on keys holds for keys that two create at once", async () => {
    const path = newPath();
    const both = await Promise.all([openSqlite(path), openSqlite(path)]);
    await both[0].accounts.insert(account());
    const asked = Array.from({ length: 20 }, (_, index) =>
      both[index % 2 ? 0 : 1].keys.insert(apiKey({ id: `key_${index}` }), 7),
    );
    expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(7);
    await Promise.all(both.map((storage) => storage.close()));
  });
});

describe("the dashboard beside the gateway on one file", () => {
  test("of two who claim an alert one has it, and each of its deliveries goes to one", async () => {
    const path = newPath();
    const both = await Promise.all([openSqlite(path), openSqlite(path)]);
    await both[0].accounts.insert(account());
    const alert = { accountId: "acc_1", day: 20_000, threshold: 75 };
    const deliveries = Array.from({ length: 20 }, (_, n) => delivery({ id: `del_${n}` }));
    const claims = both.flatMap(({ alerts }) => [
      alerts.claim(alert, deliveries),
      alerts.claim(alert, deliveries),
    ]);
    expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
    const { nextAt } = delivery();
    const now = nextAt ?? 0;
    const looks = Array.from({ length: 12 }, (_, index) =>
      both[index % 2 ? 0 : 1].alerts.due({ now, limit: 2, holdMs: 1 }),
    );
    const taken = (await Promise.all(looks)).flat().map(({ id }) => id);
    expect(taken.sort()).toEqual(deliveries.map(({ id }) => id).sort());
    await Promise.all(both.map((storage) => storage.close()));
  });

  test("while another process reads, usage is written and credits are taken", async () => {
    const path = newPath();
    const storage = await openSqlite(path);
    await storage.usage.record([bucket()], []);
    const reader = new DatabaseSync(path);
    reader.exec("BEGIN");
    const rows = reader.prepare("SELECT sum(calls) AS calls FROM usage_hours");
    expect(rows.get()).toEqual({ calls: 2 });
    await storage.usage.record([bucket()], []);
    expect((await storage.ledger.take(takeRequest())).granted).toBe(500);
    expect(rows.get()).toEqual({ calls: 2 });
    reader.exec("COMMIT");
    expect(rows.get()).toEqual({ calls: 4 });
    reader.close();
    await storage.close();
  });
});

describe("one balance, several processes on one file", () => {
  test("all that they are granted is the limit, to the last credit, in one day", async () => {
    const path = newPath();
    const all = await Promise.all([openSqlite(path), openSqlite(path), openSqlite(path)]);
    const request = takeRequest({ limit: 50_001, least: 1, perSecond: 1_000_000 });
    const spend = async (storage: Storage, process: string): Promise<number> => {
      for (let sum = 0; ; ) {
        const { granted } = await storage.ledger.take({
          ...request,
          process,
          number: takeRequest().number,
        });
        if (granted === 0) return sum;
        const unspent = Math.floor(granted / 3);
        await storage.ledger.giveBack(givenBack(unspent, { process }));
        sum += granted - unspent;
      }
    };
    const sums = await Promise.all(all.map((storage, index) => spend(storage, `${index}`)));
    const { used } = (await all[0]?.ledger.read(request.owner, request.day)) ?? { used: -1 };
    expect(sums.reduce((sum, each) => sum + each, 0)).toBe(used);
    // One gives back what the others have stopped asking for.
    expect(used).toBeGreaterThan(50_001 - (3 * 50_001) / 16);
    const last = await spend(all[0], "0");
    expect(used + last).toBe(50_001);
    await Promise.all(all.map((storage) => storage.close()));
  });

  test("an account that one deletes is a change that ends its keys in the other", async () => {
    const path = newPath();
    const [one, other] = await Promise.all([openSqlite(path), openSqlite(path)]);
    await one.accounts.insert(account());
    await one.keys.insert(apiKey());
    const { seq } = await other.changes.since(undefined);
    await one.accounts.delete("acc_1");
    expect((await other.changes.since(seq)).changes).toEqual([{ accountId: "acc_1", keyId: null }]);
    expect(await other.keys.findById("key_1")).toBeUndefined();
    await Promise.all([one.close(), other.close()]);
  });
});

describe.each(PLACES)("a file that another process has locked, %s:", (_place, options) => {
  test("reads go on and the event loop turns while a write waits, and the write is done after", async () => {
    const path = newPath();
    const storage = await openSqlite(path, options);
    await storage.accounts.insert(account());
    const lock = await lockInAnotherProcess(path);

    const order: string[] = [];
    const write = storage.accounts.update("acc_1", { plan: "growth" }).then(() => {
      order.push("write");
    });
    for (let turn = 0; turn < 20; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      expect((await storage.accounts.list())[0]?.plan).toBe("free");
    }
    order.push("20 turns and reads");
    await lock.release();
    await write;
    expect(order).toEqual(["20 turns and reads", "write"]);
    expect((await storage.accounts.list())[0]?.plan).toBe("growth");
    await storage.close();
  });

  test("closing waits for a write that waits for the lock", async () => {
    const path = newPath();
    const storage = await openSqlite(path, options);
    const lock = await lockInAnotherProcess(path);
    const write = storage.accounts.insert(account());
    // Answered after the write was tried, and so met the lock.
    await storage.accounts.list();
    const closed = storage.close();
    await lock.release();
    expect(await write).toBe(true);
    await closed;
  });

  test("a write gives up after the busy timeout with a text that says so, and works again later", async () => {
    const path = newPath();
    const storage = await openSqlite(path, { ...options, busyTimeoutMs: 30 });
    await storage.accounts.insert(account());
    const lock = await lockInAnotherProcess(path);
    const late = await Promise.all([
      failure(storage.accounts.update("acc_1", { plan: "growth" })),
      failure(storage.ledger.take(takeRequest())),
      failure(storage.ledger.giveBack(givenBack(1))),
      failure(storage.usage.record([bucket()], [])),
      failure(storage.partners.take(partnerTake())),
    ]);
    for (const { message } of late) {
      expect(message).toBe(`the database ${path} is locked by another process`);
    }
    await lock.release();
    expect(await storage.accounts.update("acc_1", { plan: "growth" })).toBe(true);
    expect((await storage.ledger.take(takeRequest())).granted).toBe(500);
    // What had failed was not carried out later either.
    expect((await storage.ledger.read("acc_1", takeRequest().day)).used).toBe(500);
    await storage.close();
  });
});

describe("a file that cannot be used gets a clear error", () => {
  test("one that a newer program has written", async () => {
    const path = newPath();
    await (await openSqlite(path)).close();
    const db = new DatabaseSync(path);
    const { user_version: own } = db.prepare("PRAGMA user_version").get() as {
      user_version: number;
    };
    db.exec("PRAGMA user_version = 9999");
    db.close();
    const { message } = await failure(openSqlite(path));
    expect(message).toMatch(/was written by a newer version of tollgate \(its schema is 9999/);

    const program = new DatabaseSync(path);
    program.exec(`PRAGMA user_version = ${own}`);
    program.close();
    await (await openSqlite(path)).close();
  });

  test("one that is no database", async () => {
    const path = newPath();
    writeFileSync(path, "plans:\n  free: { dailyCredits: 3000000 }\n".repeat(100));
    const { message } = await failure(openSqlite(path));
    expect(message).toContain(`the database ${path} is not a SQLite database`);
    expect(readFileSync(path, "utf8")).toContain("plans:");
  });

  test.each(PLACES)(
    "one whose pages are damaged, %s: the call fails, others are answered",
    async (_place, options) => {
      const path = newPath();
      await damagedKeys(path);
      const storage = await openSqlite(path, options);
      for (let n = 0; n < 2; n += 1) {
        const { message } = await failure(storage.keys.list());
        expect(message).toBe(`the database ${path} is damaged: restore it from a copy`);
        expect(await storage.accounts.list()).toEqual([account()]);
      }
      await storage.close();
    },
  );

  test.each(PLACES)(
    "a damaged file that is restored from a copy, %s, serves again without a restart",
    async (_place, options) => {
      const path = newPath();
      const copy = await damagedKeys(path);
      const storage = await openSqlite(path, options);
      await failure(storage.keys.list());
      rmSync(path);
      const { message } = await failure(storage.keys.list());
      expect(message).toBe(`the database ${path} is missing: restore it from a copy`);
      // An empty database in its place would be in the way of the copy, and refuse every key.
      expect(existsSync(path)).toBe(false);
      writeFileSync(path, "");
      expect((await failure(storage.keys.list())).message).toBe(message);
      expect(readFileSync(path)).toHaveLength(0);
      writeFileSync(path, copy);
      expect(await storage.keys.list()).toHaveLength(40);
      expect((await storage.ledger.take(takeRequest())).granted).toBe(500);
      await storage.close();
    },
  );

  test("a folder in the file's place, and a file in the folder's", async () => {
    const path = newPath();
    mkdirSync(path);
    expect((await failure(openSqlite(path))).message).toContain("cannot be opened");
    const file = newPath();
    writeFileSync(file, "");
    const { message } = await failure(openSqlite(join(file, "tollgate.db")));
    expect(message).toContain("cannot be made");
  });
});

/** Writes 40 keys, damages the page that they begin on, and gives what the file was before. */
async function damagedKeys(path: string): Promise<Buffer> {
  const storage = await openSqlite(path);
  await storage.accounts.insert(account());
  for (let n = 0; n < 40; n += 1) await storage.keys.insert(apiKey({ id: `key_${n}` }));
  await storage.close();
  const db = new DatabaseSync(path);
  const { rootpage } = db
    .prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'keys'")
    .get() as { rootpage: number };
  db.close();
  const copy = readFileSync(path);
  const damaged = Buffer.from(copy);
  damaged.fill(0xa5, (rootpage - 1) * 4096, rootpage * 4096);
  writeFileSync(path, damaged);
  return copy;
}

/** Holds the write lock until released, as a process that writes for long would. */
async function lockInAnotherProcess(path: string): Promise<{ release: () => Promise<void> }> {
  const script = join(folder, "lock.mjs");
  writeFileSync(
    script,
    `import { DatabaseSync } from "node:sqlite";
     const db = new DatabaseSync(process.argv[2]);
     db.exec("BEGIN IMMEDIATE");
     process.send("locked");
     process.on("message", () => { db.exec("COMMIT"); db.close(); process.disconnect(); });`,
  );
  const child = fork(script, [path]);
  await new Promise((resolve) => child.once("message", resolve));
  return {
    release: () =>
      new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.send("release");
      }),
  };
}
