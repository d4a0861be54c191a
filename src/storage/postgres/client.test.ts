import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  givenBack,
  reserveContract,
  sharesContract,
  takeRequest,
} from "../../../test/support/ledger-contract.ts";
import { newSchema, openWithCallersClock, sharedPostgres } from "../../../test/support/postgres.ts";
import { account, apiKey } from "../../../test/support/records.ts";
import { storeContract } from "../../../test/support/store-contract.ts";
import type { Storage } from "../store.ts";
import { openPostgres } from "./client.ts";

const url = await sharedPostgres();

storeContract("the PostgreSQL adapter", () => openWithCallersClock(url));
reserveContract(() => openWithCallersClock(url));
sharesContract(() => openWithCallersClock(url));

/** Gateways on one schema. */
async function fleet(size: number, schema = newSchema()): Promise<readonly Storage[]> {
  const all = await Promise.all(
    Array.from({ length: size }, () => openPostgres({ url, schema, poolSize: 3 })),
  );
  onTestFinished(async () => {
    await Promise.all(all.map((storage) => storage.close()));
  });
  return all;
}

/** A connection of another program. */
async function session(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

test("a process that knows of a take or a change which the database does not is told so, and served all the same", async () => {
  const [storage] = await fleet(1);
  if (storage === undefined) throw new Error("one was opened");
  const { ledger, changes } = storage;
  const first = takeRequest();
  const known = first.number;
  expect(await ledger.take(first)).not.toHaveProperty("isForgotten");
  expect(await ledger.take(takeRequest({ known }))).not.toHaveProperty("isForgotten");
  const owner = "acc_2";
  const other = await ledger.take(takeRequest({ known, owner }));
  expect(other).toMatchObject({ isForgotten: true, granted: 500 });
  expect(await ledger.take(takeRequest({ known, owner }))).not.toHaveProperty("isForgotten");
  const { seq } = await changes.since(undefined);
  expect(await changes.since(seq)).toEqual({ seq, complete: true, changes: [] });
  const lost = { seq, complete: false, changes: [], isForgotten: true };
  expect(await changes.since(seq + 1)).toEqual(lost);
});

describe("several gateways on one schema", () => {
  test("that all open it for the first time at once find its tables", async () => {
    const all = await fleet(8);
    expect(await all[0]?.accounts.insert(account())).toBe(true);
    for (const storage of all) expect(await storage.accounts.list()).toEqual([account()]);
  });

  test("are granted the limit of a balance, to the last credit", async () => {
    const all = await fleet(4);
    const request = takeRequest({ limit: 50_001, least: 1, perSecond: 1_000_000 });
    const spend = async ({ ledger }: Storage, process: string): Promise<number> => {
      for (let sum = 0; ; ) {
        const { granted } = await ledger.take({
          ...request,
          process,
          number: takeRequest().number,
        });
        if (granted === 0) return sum;
        const unspent = Math.floor(granted / 3);
        await ledger.giveBack(givenBack(unspent, { process }));
        sum += granted - unspent;
      }
    };
    const sums = await Promise.all(all.map((storage, index) => spend(storage, `${index}`)));
    const [first] = all;
    const used = (await first?.ledger.read(request.owner, request.day))?.used ?? -1;
    expect(sums.reduce((sum, each) => sum + each, 0)).toBe(used);
    expect(used + (first === undefined ? 0 : await spend(first, "0"))).toBe(50_001);
  });

  test("that take for many owners at once ask in few statements, and each gets its own grant", async () => {
    const [one, other] = (await fleet(2)) as [Storage, Storage];
    const owners = Array.from({ length: 600 }, (_, n) => `acc_${n}`);
    const takesOf = (storage: Storage, process: string, order: readonly string[]) =>
      order.map((owner) => {
        const want = 10 + Number(owner.slice(4));
        const asked = { owner, process, want, least: want, limit: 2 * want, perSecond: 1_000_000 };
        return storage.ledger.take(takeRequest(asked));
      });
    const before = one.traffic.statements;
    // In opposite orders: none waits for a lock of another that waits for its own.
    const [mine, theirs] = await Promise.all([
      Promise.all(takesOf(one, "one", owners)),
      Promise.all(takesOf(other, "two", owners.toReversed())),
    ]);
    expect(one.traffic.statements - before).toBeLessThanOrEqual(4);
    expect(mine.map(({ granted }) => granted)).toEqual(owners.map((_, n) => 10 + n));
    expect(theirs.map(({ granted }) => granted)).toEqual(owners.map((_, n) => 10 + n).toReversed());
    const { day } = takeRequest();
    await Promise.all(owners.map((owner) => one.ledger.giveBack(givenBack(10, { owner }))));
    expect(one.traffic.statements - before).toBeLessThanOrEqual(8);
    expect(await one.ledger.read("acc_7", day)).toEqual({ used: 24, added: 0 });
  });

  test("that take from days of one pool at once share its balance to the credit", async () => {
    const all = await fleet(4);
    const { day } = takeRequest();
    const takes = Array.from({ length: 200 }, (_, n) =>
      all[n % 4]?.ledger.take(
        takeRequest({
          ...{ day: day + (n % 5), pool: 7, limit: 10_007, least: 7, want: 7 },
          ...{ perSecond: 1_000_000, process: `${n}` },
        }),
      ),
    );
    const grants = await Promise.all(takes);
    const granted = grants.reduce((sum, grant) => sum + (grant?.granted ?? 0), 0);
    expect(granted).toBe(1400);
    const used = await all[0]?.ledger.read("acc_1", day);
    expect(used).toEqual({ used: 1400, added: 0 });
  });

  test("miss no change, in whatever order changes commit", async () => {
    const schema = newSchema();
    const [one, other] = (await fleet(2, schema)) as [Storage, Storage];
    await one.accounts.insert(account());
    await one.accounts.insert(account({ id: "acc_2", email: "b@example.com" }));
    const { seq } = await one.changes.since(undefined);
    // It writes first and commits last.
    const slow = await session();
    await slow.query("BEGIN");
    await slow.query(`UPDATE ${schema}.accounts SET suspended = 1 WHERE id = 'acc_1'`);
    await other.accounts.update("acc_2", { suspended: true });
    const before = await one.changes.since(seq);
    expect(before.changes).toEqual([{ accountId: "acc_2", keyId: null }]);
    await slow.query("COMMIT");
    expect(await one.changes.since(before.seq)).toEqual({
      seq: before.seq + 1,
      complete: true,
      changes: [{ accountId: "acc_1", keyId: null }],
    });
  });

  test("that lock each other's rows in turn are both served", async () => {
    const schema = newSchema();
    const [one] = (await fleet(1, schema)) as [Storage];
    await one.accounts.insert(account());
    await one.keys.insert(apiKey());
    await one.keys.insert(apiKey({ id: "key_2", hash: "another" }));
    const other = await session();
    await other.query("SET deadlock_timeout = '10s'");
    await other.query("BEGIN");
    await other.query(`UPDATE ${schema}.keys SET name = 'x' WHERE id = 'key_2'`);
    const uses = one.keys.recordUse([
      { id: "key_1", at: 5 },
      { id: "key_2", at: 5 },
    ]);
    await untilWaiting(other, schema);
    await other.query(`UPDATE ${schema}.keys SET name = 'y' WHERE id = 'key_1'`);
    await other.query("COMMIT");
    await uses;
    expect((await one.keys.findById("key_2"))?.key).toMatchObject({ name: "x", lastUsedAt: 5 });
    expect((await one.keys.findById("key_1"))?.key).toMatchObject({ name: "y", lastUsedAt: 5 });
  });
});

/** Until another session waits for a lock on a table of the schema. */
async function untilWaiting(client: pg.Client, schema: string): Promise<void> {
  const sql = `SELECT 1 FROM pg_locks WHERE NOT granted AND locktype IN ('transactionid', 'tuple')
    AND pid IN (SELECT pid FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
      JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1)`;
  while ((await client.query(sql, [schema])).rowCount === 0) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("the schema", () => {
  test("of a newer program that goes on beside this one is served, and another is refused", async () => {
    const schema = newSchema();
    await fleet(1, schema);
    const other = await session();
    await other.query(`UPDATE ${schema}.schema_version SET version = 99`);
    await fleet(1, schema);
    await other.query(`UPDATE ${schema}.schema_version SET oldest = 98`);
    await expect(openPostgres({ url, schema })).rejects.toThrow(
      "was written by a newer version of tollgate (its schema is 99, for programs from 98 on",
    );
  });

  test("is the only one that is touched", async () => {
    const schema = newSchema();
    await fleet(1, schema);
    const other = await session();
    const { rows } = await other.query(
      "SELECT count(*)::int AS tables FROM pg_tables WHERE schemaname IN ('public', 'tollgate')",
    );
    expect(rows).toEqual([{ tables: 0 }]);
  });
});
