import { writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { Agent, request } from "undici";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createAuthority } from "../support/certificates.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { openWorkplace } from "../support/started-gateway.ts";
import { temporaryFolder } from "../support/written.ts";
import { isAlive, nextCall, startWorkerGateway, type WorkerGateway } from "./worker-gateway.ts";

const authority = createAuthority();
const folder = temporaryFolder("workers-tls");
const tls = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };

let gateway: WorkerGateway;
afterEach(() => gateway?.clear());

const workers = () => [gateway.pid(1), gateway.pid(2)];

test("SIGTERM: calls in the air get their answers over TLS, all workers end, exit code 0", async () => {
  const { cert, key: certKey } = authority.issue();
  writeFileSync(tls.cert, cert);
  writeFileSync(tls.key, certKey);
  gateway = await startWorkerGateway({ tls, shutdownTimeoutMs: 3000 });
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  gateway.node.reply = () => released.then(() => ({ result: "0x6001" }));
  const { key } = await gateway.newKey();
  const agents = [0, 1, 2, 3].map(() => new Agent({ connect: { ca: authority.cert } }));
  const url = `https://127.0.0.1:${gateway.port}/node/v3/${key}`;
  const calls = agents.map((dispatcher) =>
    request(url, { method: "POST", body: nextCall(), dispatcher }),
  );
  await expect.poll(() => gateway.node.requests.length).toBeGreaterThan(0);
  await expect.poll(() => gateway.metric("tollgate_connections")).toBe(4);
  const pids = workers();
  gateway.process.kill("SIGTERM");
  await gateway.process.says(/"msg":"stopping"/);
  setTimeout(release, 300);
  for (const call of calls) {
    const { statusCode, body } = await call;
    expect(statusCode).toBe(200);
    expect(await body.json()).toEqual({ jsonrpc: "2.0", id: 1, result: "0x6001" });
  }
  const { code, stdout } = await gateway.process.ended;
  expect(code).toBe(0);
  expect(stdout).toContain('"msg":"stopped"');
  expect(stdout).not.toContain('"msg":"worker ended"');
  expect(pids.filter(isAlive)).toEqual([]);
  for (const agent of agents) await agent.close();
});

test("a primary process that is killed leaves no worker behind for a second", async () => {
  gateway = await startWorkerGateway();
  const pids = workers();
  expect(pids.filter(isAlive)).toEqual(pids);
  gateway.process.kill("SIGKILL");
  await expect.poll(() => pids.filter(isAlive), { timeout: 1000, interval: 10 }).toEqual([]);
});

test.each([0, 3])(
  "when all workers die at once with %d connections on their way, the port that port 0 became stays the same",
  async (waiting) => {
    gateway = await startWorkerGateway();
    const { key } = await gateway.newKey();
    const old = workers();
    for (const pid of old) process.kill(pid, "SIGSTOP");
    const lost = await gateway.lines(waiting, key);
    for (const pid of old) process.kill(pid, "SIGKILL");
    await expect
      .poll(() => workers().filter((pid) => !old.includes(pid)), { timeout: 9000 })
      .toHaveLength(2);
    await gateway.whole();
    const lines = await gateway.lines(4, key);
    expect(await Promise.all(lines.map((line) => line.call()))).toEqual([200, 200, 200, 200]);
    const alive = workers();
    for (const line of [...lines, ...lost]) line.end();
    expect(alive.filter(isAlive)).toEqual(alive);
  },
);

describe("where it cannot start", () => {
  let node: StandInNode;
  beforeAll(async () => {
    node = await startStandInNode();
  });
  afterAll(() => node.stop());

  async function startWith(server: object, storage = "sqlite:./tollgate.db") {
    const upstreams = [{ name: "a", url: node.url }];
    const workplace = await openWorkplace({
      server: { workers: 2, ...server },
      storage: { url: storage },
      networks: [{ name: "node", family: "evm", chainId: 1, upstreams }],
    });
    return { workplace, ended: await workplace.run("start") };
  }

  test("a port that is taken ends it with the system's words and exit code 1", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    const { ended } = await startWith({ port });
    other.close();
    expect(ended.code).toBe(1);
    expect(ended.stderr).toBe(
      `tollgate: listen EADDRINUSE: address already in use 127.0.0.1:${port}\n`,
    );
  });

  test("what a worker cannot open ends it with the worker's reason and exit code 1", async () => {
    const file = join(temporaryFolder("workers-damaged"), "tollgate.db");
    writeFileSync(file, "this is no database, and has never been one".repeat(100));
    const { ended } = await startWith({ port: 0 }, `sqlite:${file}`);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(
      /^tollgate: .*tollgate\.db is not a SQLite database, or is damaged[^\n]*\n$/,
    );
  });
});
