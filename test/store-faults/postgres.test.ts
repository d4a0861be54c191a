import { chmodSync, chownSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { openPostgres } from "../../src/storage/postgres/client.ts";
import { type Storage, StorageError } from "../../src/storage/store.ts";
import { createAuthority } from "../support/certificates.ts";
import { givenBack, takeRequest } from "../support/ledger-contract.ts";
import { newSchema } from "../support/postgres.ts";
import { type PostgresServer, startPostgresServer } from "../support/postgres-server.ts";
import { account } from "../support/records.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import { bucket } from "../support/usage-contract.ts";

const NOBODY = 65_534;
const SERVES_WITHIN_MS = 2000;

const authority = createAuthority();
let server: PostgresServer;
let certificates: string;

beforeAll(async () => {
  certificates = mkdtempSync(join(tmpdir(), "tollgate-tls-"));
  const { cert, key } = authority.issue();
  for (const [name, text] of Object.entries({ cert, key, ca: authority.cert })) {
    writeFileSync(join(certificates, name), text, { mode: 0o600 });
    if (process.getuid?.() === 0) chownSync(join(certificates, name), NOBODY, NOBODY);
  }
  chmodSync(certificates, 0o755);
  server = await startPostgresServer({
    ssl: "on",
    ssl_cert_file: join(certificates, "cert"),
    ssl_key_file: join(certificates, "key"),
  });
});
afterAll(() => server.stop());

type Way = { readonly port?: number; readonly schema?: string; readonly query?: string };

const urlOf = ({ port = server.port, query = "" }: Way) =>
  `postgres://${server.user}:${server.password}@127.0.0.1:${port}/postgres${query}`;

async function opened(way: Way = {}): Promise<Storage> {
  const { schema = newSchema() } = way;
  const settings = { url: urlOf(way), schema, statementTimeoutMs: 500, poolSize: 4 };
  const storage = await openPostgres(settings);
  onTestFinished(() => storage.close());
  return storage;
}

const failure = async (promise: Promise<unknown>): Promise<StorageError> => {
  const error = await promise.catch((reason: unknown) => reason);
  if (!(error instanceof StorageError)) throw new Error(`no StorageError: ${String(error)}`);
  expect(error.message).not.toContain(server.password);
  return error;
};

async function client(): Promise<pg.Client> {
  const made = new pg.Client({ connectionString: urlOf({}) });
  await made.connect();
  onTestFinished(() => made.end());
  return made;
}

describe("a server that is killed", () => {
  test("refuses calls at once, and serves again within 2 s of its return, with all that was answered", async () => {
    const storage = await opened();
    let granted = 0;
    const take = async () => {
      const request = takeRequest({ limit: 1e9, least: 1, want: 10, perSecond: 1e9 });
      granted += (await storage.ledger.take(request)).granted;
    };
    for (let death = 0; death < 3; death += 1) {
      const takes = Array.from({ length: 20 }, () => take().catch((error: unknown) => error));
      await server.kill();
      for (const error of await Promise.all(takes)) {
        if (error !== undefined) expect(error).toBeInstanceOf(StorageError);
      }
      const askedAtMs = performance.now();
      expect((await failure(take())).message).toContain("cannot be reached: ECONNREFUSED");
      expect(performance.now() - askedAtMs).toBeLessThan(1000);
      await server.restart();
      const returnedAtMs = performance.now();
      await vi.waitFor(take, { timeout: SERVES_WITHIN_MS, interval: 20 });
      expect(performance.now() - returnedAtMs).toBeLessThan(SERVES_WITHIN_MS);
      const { used } = await storage.ledger.read("acc_1", takeRequest().day);
      expect(used).toBeGreaterThanOrEqual(granted);
      // Of what was not answered, no more than was asked.
      expect(used).toBeLessThanOrEqual(granted + (death + 1) * 200);
    }
  });

  test("loses no read: connections that died meanwhile are replaced", async () => {
    const storage = await opened();
    await storage.accounts.insert(account());
    await Promise.all(Array.from({ length: 4 }, () => storage.accounts.list()));
    await server.restart();
    const reads = Array.from({ length: 8 }, () => storage.accounts.list());
    for (const accounts of await Promise.all(reads)) expect(accounts).toEqual([account()]);
  });
});

describe("a connection", () => {
  test("that is cut before the answer of a write: its outcome is said to be unknown", async () => {
    const proxy = await startTcpProxy(server.port);
    onTestFinished(proxy.stop);
    const storage = await opened({ port: proxy.port });
    const lost = proxy.loseAnswer((bytes) => bytes.includes("INSERT 0 1"));
    const error = await failure(storage.accounts.insert(account()));
    await lost;
    expect(error.isOutcomeUnknown).toBe(true);
    // It was carried out.
    expect(await storage.accounts.list()).toEqual([account()]);
  });

  test("that is cut between COMMIT and its answer: the outcome is unknown, and before COMMIT it is known", async () => {
    const proxy = await startTcpProxy(server.port);
    onTestFinished(proxy.stop);
    const storage = await opened({ port: proxy.port });
    await storage.accounts.insert(account());
    const alert = { accountId: "acc_1", day: 20_000, threshold: 75 };
    const before = proxy.loseAnswer((bytes) => bytes.includes("INSERT 0 1"));
    const known = await failure(storage.alerts.claim(alert, []));
    await before;
    expect(known.isOutcomeUnknown).toBe(false);
    const at = proxy.loseAnswer((bytes) => bytes.includes("COMMIT"));
    const unknown = await failure(storage.alerts.claim(alert, []));
    await at;
    expect(unknown.isOutcomeUnknown).toBe(true);
    expect(await storage.alerts.claim(alert, [])).toBe(false);
  });

  test("that loses the answer of a take, or of what goes back: asked again, each is carried out once", async () => {
    const proxy = await startTcpProxy(server.port);
    onTestFinished(proxy.stop);
    const { ledger } = await opened({ port: proxy.port });
    const request = takeRequest();
    const { day } = request;
    const taken = proxy.loseAnswer((bytes) => bytes.includes("SELECT 1"));
    expect((await failure(ledger.take(request))).isOutcomeUnknown).toBe(true);
    await taken;
    expect(await ledger.take(request)).toMatchObject({ day, granted: 500 });
    expect(await ledger.read("acc_1", day)).toEqual({ used: 500, added: 0 });
    const back = givenBack(200);
    const told = proxy.loseAnswer((bytes) => bytes.includes("SELECT 1"));
    expect((await failure(ledger.giveBack(back))).isOutcomeUnknown).toBe(true);
    await told;
    await ledger.giveBack(back);
    expect(await ledger.read("acc_1", day)).toEqual({ used: 300, added: 0 });
  });

  test("that passes nothing on is given up, and holds up neither the next call nor the close", async () => {
    const proxy = await startTcpProxy(server.port);
    onTestFinished(proxy.stop);
    const storage = await opened({ port: proxy.port });
    await storage.accounts.list();
    proxy.set("hole");
    const askedAtMs = performance.now();
    const error = await failure(storage.usage.record([bucket()], []));
    expect(performance.now() - askedAtMs).toBeLessThan(1500);
    expect(error.isOutcomeUnknown).toBe(true);
    proxy.set("open");
    await vi.waitFor(() => storage.accounts.list(), { timeout: SERVES_WITHIN_MS });
    proxy.set("hole");
    const closedAtMs = performance.now();
    await storage.close();
    expect(performance.now() - closedAtMs).toBeLessThan(2000);
  });

  test("in clear or by TLS, as sslmode says, and no other server is taken for this one", async () => {
    const ca = join(certificates, "ca");
    const client = await opened({ query: `?sslmode=verify-full&sslrootcert=${ca}` });
    expect(await client.accounts.list()).toEqual([]);
    await opened({ query: "?sslmode=require" });
    await opened({ query: "?sslmode=disable" });
    const stranger = join(certificates, "stranger");
    writeFileSync(stranger, createAuthority().cert);
    const query = `?sslmode=verify-ca&sslrootcert=${stranger}`;
    const refused = await failure(openPostgres({ url: urlOf({ query }) }));
    expect(refused.message).toMatch(/certificate/);
  });
});

describe("a database that refuses", () => {
  test("a password or a database: the error says which, and no more", async () => {
    const wrong = urlOf({}).replace(server.password, "hunter2");
    const password = await failure(openPostgres({ url: wrong }));
    expect(password.message).toBe(
      `the database postgres://127.0.0.1:${server.port}/postgres refuses the user or the password of storage.url`,
    );
    const other = urlOf({}).replace(/postgres$/, "nothing");
    expect((await failure(openPostgres({ url: other }))).message).toContain("is not there");
  });

  test("to write, as a standby: reads are answered, writes are refused and change nothing", async () => {
    const schema = newSchema();
    const storage = await opened({ schema });
    await storage.accounts.insert(account());
    const other = await client();
    await other.query("ALTER DATABASE postgres SET default_transaction_read_only = on");
    onTestFinished(async () => {
      await other.query("ALTER DATABASE postgres RESET default_transaction_read_only");
    });
    const standby = await openPostgres({ url: urlOf({}), schema }).catch((error: Error) => error);
    expect(String(standby)).toContain("cannot be written: the server is a standby");
  });

  test("a user who may do nothing is told what to grant", async () => {
    const other = await client();
    await other.query("CREATE ROLE guest LOGIN PASSWORD 'guest'");
    onTestFinished(async () => {
      await other.query("DROP ROLE guest");
    });
    const url = urlOf({}).replace(`${server.user}:${server.password}`, "guest:guest");
    const error = await failure(openPostgres({ url, schema: newSchema() }));
    expect(error.message).toContain("does not let its user do that: grant it the database");
  });
});

test("a statement that takes too long is given up, and another one goes on meanwhile", async () => {
  const schema = newSchema();
  const storage = await opened({ schema });
  await storage.accounts.insert(account());
  const other = await client();
  await other.query("BEGIN");
  await other.query(`SELECT 1 FROM ${schema}.accounts FOR UPDATE`);
  const held = failure(storage.accounts.update("acc_1", { plan: "growth" }));
  expect(await storage.accounts.list()).toEqual([account()]);
  expect((await held).isOutcomeUnknown).toBe(true);
  await other.query("ROLLBACK");
  expect(await storage.accounts.update("acc_1", { plan: "growth" })).toBe(true);
});

test("a start waits for a database that is away, and says so once", async () => {
  await server.kill();
  const told: string[] = [];
  const opening = openPostgres({ url: urlOf({}), schema: newSchema() }, (why) => told.push(why));
  await vi.waitFor(() => expect(told).toHaveLength(1));
  await server.restart();
  const storage = await opening;
  expect(await storage.accounts.list()).toEqual([]);
  await storage.close();
  expect(told).toHaveLength(1);
  expect(told[0]).toContain("cannot be reached: ECONNREFUSED");
});
