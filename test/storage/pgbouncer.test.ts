import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPostgres } from "../../src/storage/postgres/client.ts";
import { freePort } from "../support/free-port.ts";
import { newSchema, openWithCallersClock, sharedPostgres } from "../support/postgres.ts";
import { storeContract } from "../support/store-contract.ts";
import { untilListening } from "../support/until-listening.ts";

/** Debian's package puts it there; it is tested where it is installed. */
const PGBOUNCER = "/usr/sbin/pgbouncer";
const NOBODY = 65_534;
const isThere = spawnSync(PGBOUNCER, ["--version"]).status === 0;

describe.skipIf(!isThere)("through PgBouncer in transaction mode", () => {
  let port = 0;
  let bouncer: ChildProcess | undefined;
  let folder = "";

  beforeAll(async () => {
    const server = new URL(await sharedPostgres());
    port = await freePort();
    folder = mkdtempSync(join(tmpdir(), "tollgate-pgbouncer-"));
    const file = join(folder, "pgbouncer.ini");
    writeFileSync(file, settings(server), { mode: 0o600 });
    const isRoot = process.getuid?.() === 0;
    if (isRoot) for (const path of [folder, file]) chownSync(path, NOBODY, NOBODY);
    chmodSync(folder, 0o700);
    const owner = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
    bouncer = spawn(PGBOUNCER, ["-q", file], { ...owner, cwd: folder, stdio: "ignore" });
    await untilListening(port);
  });

  afterAll(async () => {
    bouncer?.kill("SIGKILL");
    if (bouncer !== undefined) await once(bouncer, "exit");
    rmSync(folder, { recursive: true, force: true });
  });

  /** Fewer sessions than a gateway's pool: each statement or transaction may get another one. */
  const settings = (server: URL) => `
[databases]
gate = host=127.0.0.1 port=${server.port} dbname=postgres user=${server.username} password=${server.password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
`;

  const url = () => `postgres://anybody@127.0.0.1:${port}/gate`;

  storeContract("the PostgreSQL adapter", () => openWithCallersClock(url()));

  test("two gateways on one schema see what the other writes", async () => {
    const schema = newSchema();
    const open = () => openPostgres({ url: url(), schema });
    const [one, other] = await Promise.all([open(), open()]);
    const { seq } = await other.changes.since(undefined);
    expect(seq).toBe(0);
    await one.ledger.add("acc_1", 20_000, 5);
    expect(await other.ledger.read("acc_1", 20_000)).toEqual({ used: 0, added: 5 });
    await Promise.all([one.close(), other.close()]);
  });
});
