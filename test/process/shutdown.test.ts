import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { Agent, request } from "undici";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { asRaw, openRaw, readAnswers } from "../support/raw-connection.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { openWorkplace, type Started, type Workplace } from "../support/started-gateway.ts";
import { UPSTREAM_SECRET } from "../support/upstream-secret.ts";

let made = 0;
/** Of another account each time: calls that are alike would share one. */
function nextCall(): string {
  made += 1;
  const account = `0x${made.toString(16).padStart(40, "0")}`;
  return `{"jsonrpc":"2.0","id":1,"method":"eth_getCode","params":["${account}","latest"]}`;
}

let node: StandInNode;
/** Lets the node answer what it was asked. */
let release: () => void;
let workplace: Workplace;
let key: string;
beforeAll(async () => {
  node = await startStandInNode();
  workplace = await openWorkplace({
    server: { port: 0, shutdownTimeoutMs: 1500 },
    admin: { port: 0 },
    storage: { url: "sqlite:./tollgate.db" },
    networks: [
      {
        name: "node",
        family: "evm",
        chainId: 1,
        timeoutMs: 20_000,
        upstreams: [{ name: "a", url: `${node.url}/${UPSTREAM_SECRET}` }],
      },
    ],
  });
  await workplace.json("accounts", "create", "ada@example.com", "--plan", "growth");
  const shown = await workplace.json(
    "keys",
    "create",
    "--account",
    "ada@example.com",
    "--name",
    "a",
  );
  ({ key } = shown as { key: string });
});
afterAll(async () => {
  await workplace.clear();
  await node.stop();
});

let gateway: Started;
beforeEach(async () => {
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  node.reply = () => released.then(() => ({ result: "0x6001" }));
  (node.requests as unknown[]).length = 0;
  gateway = await workplace.start();
});
afterEach(async () => {
  release();
  gateway.process.kill("SIGKILL");
  await gateway.process.ended;
});

const url = () => `${gateway.origin}/node/v3/${key}`;
const asked = (count: number) =>
  expect.poll(() => node.requests.length, { timeout: 10_000 }).toBe(count);
const isStopping = () => gateway.process.says(/"msg":"stopping"/);

function open(): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/node/ws/v3/${key}`);
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once("open", () => resolve(socket));
  });
}

type Log = { messages: string[]; closed: Promise<number> };
function follow(socket: WebSocket): Log {
  const messages: string[] = [];
  socket.on("message", (data: Buffer) => messages.push(String(data)));
  return { messages, closed: new Promise((resolve) => socket.once("close", resolve)) };
}

function refusesConnections(): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(gateway.port, "127.0.0.1");
    probe.once("connect", () => {
      probe.destroy();
      resolve(false);
    });
    probe.once("error", () => resolve(true));
  });
}

describe.each(["SIGTERM", "SIGINT"] as const)("on %s", (signal) => {
  test("calls in the air get their answers, everything is closed in order, exit code 0", async () => {
    const agent = new Agent();
    const idle = await openRaw(gateway.port);
    const calls = [0, 1, 2].map(() =>
      request(url(), { method: "POST", body: nextCall(), dispatcher: agent }),
    );
    const busy = await open();
    const busyLog = follow(busy);
    busy.send(nextCall());
    const quiet = follow(await open());
    await asked(4);

    gateway.process.kill(signal);
    await isStopping();
    expect(await quiet.closed).toBe(1001);
    expect(await refusesConnections()).toBe(true);
    expect(await idle.closed).toBe("");
    release();

    for (const call of calls) {
      const { headers, body } = await call;
      expect(headers["connection"]).toBe("close");
      expect(await body.json()).toEqual({ jsonrpc: "2.0", id: 1, result: "0x6001" });
    }
    expect(await busyLog.closed).toBe(1001);
    expect(busyLog.messages.map((text) => JSON.parse(text))).toEqual([
      { jsonrpc: "2.0", id: 1, result: "0x6001" },
    ]);
    const { code, stdout } = await gateway.process.ended;
    expect(code).toBe(0);
    expect(stdout).toContain('"msg":"stopped"');
    await agent.close();
  });
});

test("an idle keep-alive connection does not hold up the end", async () => {
  release();
  const agent = new Agent();
  const { body } = await request(url(), { method: "POST", body: nextCall(), dispatcher: agent });
  await body.dump();
  const begun = performance.now();
  gateway.process.kill("SIGTERM");
  const { code } = await gateway.process.ended;
  expect(code).toBe(0);
  expect(performance.now() - begun).toBeLessThan(1400);
  await agent.close();
});

test("a request that is still being sent is answered, and is the last of its connection", async () => {
  release();
  const connection = await openRaw(gateway.port);
  connection.send(
    `POST /node/v3/${key} HTTP/1.1\r\nHost: a\r\nContent-Length: ${nextCall().length}\r\n\r\n${nextCall().slice(0, 20)}`,
  );
  await expect
    .poll(async () => (await fetch(`${gateway.admin}/metrics`)).text())
    .toContain('tollgate_connections{transport="http"} 1');
  gateway.process.kill("SIGTERM");
  await isStopping();
  connection.send(nextCall().slice(20));
  const [answer] = readAnswers(await connection.closed);
  expect(answer?.status).toBe(200);
  expect(answer?.head).toMatch(/\r\nConnection: close/);
  expect((await gateway.process.ended).code).toBe(0);
});

test("where a node hangs, the end comes after server.shutdownTimeoutMs, exit code 0", async () => {
  const raw = asRaw((await openRaw(gateway.port)).socket);
  raw.send(
    `POST /node/v3/${key} HTTP/1.1\r\nHost: a\r\nContent-Length: ${nextCall().length}\r\n\r\n${nextCall()}`,
  );
  const socket = await open();
  const { closed } = follow(socket);
  socket.send(nextCall());
  await asked(2);
  const begun = performance.now();
  gateway.process.kill("SIGTERM");
  const { code } = await gateway.process.ended;
  const seconds = (performance.now() - begun) / 1000;
  expect(code).toBe(0);
  expect(seconds).toBeGreaterThan(1.4);
  expect(seconds).toBeLessThan(6);
  await Promise.all([raw.closed, closed]);
});

test.each(["SIGTERM", "SIGINT"] as const)(
  "a second signal (%s) ends it at once",
  async (second) => {
    const call = httpRequest(url(), { method: "POST" });
    call.on("error", () => undefined);
    call.end(nextCall());
    await asked(1);
    gateway.process.kill("SIGTERM");
    await isStopping();
    const begun = performance.now();
    gateway.process.kill(second);
    const { code } = await gateway.process.ended;
    expect(code).toBe(1);
    expect(performance.now() - begun).toBeLessThan(1000);
  },
);

test("nothing that was written holds the key or what the upstream's URL holds", async () => {
  release();
  const { body } = await request(url(), { method: "POST", body: nextCall() });
  await body.dump();
  node.reply = () => ({
    error: { code: -32000, message: `cannot reach ${node.url}/${UPSTREAM_SECRET}` },
  });
  const failed = await request(url(), { method: "POST", body: nextCall() });
  const text = await failed.body.text();
  expect(text).toContain('"error"');
  const metrics = await (await fetch(`${gateway.admin}/metrics`)).text();
  gateway.process.kill("SIGTERM");
  await gateway.process.ended;
  const written = `${text}\n${metrics}\n${await workplace.everythingWritten()}`;
  // `keys create` prints the key, once.
  expect(written.split(key)).toHaveLength(2);
  expect(written).not.toContain(UPSTREAM_SECRET);
});
